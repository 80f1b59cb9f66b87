// A page that embeds golem, for the tests, which use window.golem and play whole cases.
import { createGolem, GolemError } from './golem.js'

const begun = performance.now()
window.golem = createGolem().then((golem) => {
  window.ready = performance.now() - begun
  return golem
})

// until returns a run's next event of a type, without ending the run.
window.until = async (run, type) => {
  const events = run[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await events.next()
    if (done || value.type === type) return value
  }
}

const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
const base64 = (data) => {
  let text = ''
  for (let i = 0; i < data.length; i += 0x8000) text += String.fromCharCode(...data.subarray(i, i + 0x8000))
  return btoa(text)
}
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// fresh makes a project from base64 files, and replaces one of the same name. It writes files of
// .git directly: an import would leave out hostile ones.
window.fresh = async (name, files) => {
  const golem = await window.golem
  await golem.remove(name).catch(() => {})
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const made = {}
  const repository = {}
  for (const [path, data] of Object.entries(files)) {
    if (/(^|\/)\.git(\/|$)/.test(path)) {
      repository[path] = data
      continue
    }
    try {
      made[path] = decoder.decode(bytes(data))
    } catch {
      made[path] = bytes(data)
    }
  }
  await golem.create(name, made)
  if (Object.keys(repository).length) await held((root) => put(root, `projects/${name}`, repository))
}

// held runs change on this browser's files while it holds golem's lock for them, as every tab
// does (sandbox/opfs/kept.js).
async function held(change) {
  if (!(await window.golem).kept) throw new Error('this browser keeps no files: a test cannot put them')
  const channel = new BroadcastChannel('golem-files')
  channel.postMessage('wanted')
  await navigator.locks.request('golem-files', async () => change(await navigator.storage.getDirectory()))
  channel.close()
}

// libraries replaces the libraries of this browser by base64 files, by path. It writes them
// directly, also those that golem would not install.
window.libraries = async (files) => {
  if (!(await window.golem).kept && !Object.keys(files ?? {}).length) return
  await held(async (root) => {
    await root.removeEntry('libs', { recursive: true }).catch(() => {})
    await put(root, 'libs', files ?? {})
  })
}

async function put(root, below, files) {
  for (const [path, data] of Object.entries(files)) {
    const names = [...below.split('/'), ...path.split('/')]
    let dir = root
    for (const name of names.slice(0, -1)) dir = await dir.getDirectoryHandle(name, { create: true })
    const file = await (await dir.getFileHandle(names.at(-1), { create: true })).createWritable()
    await file.write(bytes(data))
    await file.close()
  }
}

window.tree = async (name) => {
  const golem = await window.golem
  const files = {}
  for (const f of await golem.files(name).list()) {
    if (!f.dir) files[f.path] = base64(await golem.files(name).read(f.path))
  }
  return files
}

// play plays one case through golem.js, with its settings. Cases whose projects have different
// names can be played at the same time; such cases have no libraries.
window.play = async (c) => {
  const golem = await window.golem
  const out = { status: 'ok', exit: 0, text: '', faults: [], listings: [], artifacts: {}, asked: [], problems: [] }
  const project = c.project || 'case'
  await window.fresh(project, c.files)
  if (!c.project) await window.libraries(c.libs)
  const faults = (e) => {
    if (!(e instanceof GolemError)) throw e
    return [e, ...e.others].map(({ code, message, where, hint, severity }) => ({ code, message, where, hint, severity }))
  }
  const options = c.options
  try {
    if (c.command === 'check') {
      out.faults = await golem.check(project, options)
      if (out.faults.some((f) => f.severity !== 'warning')) Object.assign(out, { status: 'error', exit: 1 })
    } else if (c.command === 'workers') {
      const listed = await golem.workers(project, options)
      Object.assign(out, { listings: listed.workers, faults: listed.faults })
    } else if (c.command === 'plan') {
      out.plan = await golem.plan(project, options)
    } else {
      await run(golem, project, c, out)
    }
  } catch (e) {
    Object.assign(out, { status: 'config', exit: 2, faults: faults(e) })
  }
  out.files = await window.tree(project)
  out.rules = await golem.rules(project)
  return JSON.stringify(out)
}

async function run(golem, project, c, out) {
  const given = {}
  let open = ''
  const approve = async (request, signal) => {
    if (open) out.problems.push(`${request.call} asks while ${open} waits for an answer`)
    open = request.call
    out.asked.push(request)
    const n = (given[request.call] = (given[request.call] ?? 0) + 1)
    const answer = c.answers[request.call]?.[n - 1]
    if (answer?.after && !signal.aborted) {
      await Promise.race([sleep(answer.after), new Promise((resolve) => signal.addEventListener('abort', resolve))])
    }
    open = ''
    if (!answer && !c.headless) out.problems.push(`nobody answers the question of ${request.call}`)
    return answer ?? null
  }
  const options = {
    ...c.options, trace: false,
    attachments: c.attachments.map((a) => ({ name: a.name, data: bytes(a.data) })),
    artifact: ({ name, data }) => { out.artifacts[name] = data },
    approve: c.headless && !Object.keys(c.answers).length ? undefined : approve,
  }
  const [first, ...rest] = c.inputs
  const handle = c.command === 'chat' ? golem.chat(project, first, options) : golem.run(project, first, options)
  if (c.command === 'chat') {
    for (const text of rest) handle.send(text, { after: !c.steer })
    handle.end()
  }
  let trace = ''
  for await (const e of handle) {
    if (open) out.problems.push(`${e.type} of ${e.id} came while ${open} waited for an answer`)
    if (e.golem === 'trace' || e.seq) trace += JSON.stringify(e) + '\n'
    if (c.interrupt === `${e.type} ${e.id}`) handle.cancel()
  }
  const result = await handle.result
  Object.assign(out, { status: result.status, exit: result.exit, text: result.text, error: result.error ?? null, trace: btoa(unescape(encodeURIComponent(trace))) })
}
