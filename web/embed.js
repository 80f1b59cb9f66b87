// A complete example of a static page that runs a worker.
import { createGolem } from './golem.js'

const out = document.getElementById('out')
const button = document.getElementById('run')
const golem = await createGolem()
const project = 'embedded'
const files = {
  'main.worker': '---\nmodel: script:script.yaml\n---\nGreet the person.\n',
  'script.yaml': 'script: 1\nworkers:\n  main:\n    - when: {match: "(?P<name>.+)"}\n      say: "Hello, ${name}!"\n',
}
if (!(await golem.list()).some((p) => p.name === project)) await golem.create(project, files)
out.textContent = `golem ${golem.version} is ready`
button.disabled = false
button.onclick = async () => {
  out.textContent = ''
  const run = golem.run(project, document.getElementById('text').value, { approve: async (r) => ({ answer: confirm(`${r.title ?? r.tool}?`) ? 'yes' : 'no' }) })
  for await (const event of run) if (event.type === 'delta') out.textContent += event.text
  const { status, text, error } = await run.result
  out.textContent = `${status}: ${error?.message ?? text}`
}
