// Begins, continues and stops the runs and conversations of the open project.
import { batch } from '@preact/signals'
import { about, asked, attempt, chosen, framed, golem, listFiles, lists, listStaged, look, options, project, refused, run, running, staged, talking, tell, tick, view } from './state.js'
import { emptyRun, apply, faultText, recall, type } from './run.js'
import { settings } from './settings.js'

let current = null // the Run of golem.js that is in progress
let followed = Promise.resolve() // resolves when the page has shown the end of the last run

/** Begins an empty conversation in the open project; the last one is kept. */
export async function fresh() {
  await leave()
  batch(() => {
    run.value = emptyRun()
    refused.value = null
    chosen.value = ''
  })
}

/** Sends the person's text: to the open conversation, or as a new run, with alone ({entry}) of another worker than the entry. golem itself reads a text that is JSON, because JavaScript does not keep all digits of a number. Resolves to false if the run could not begin. */
export async function send(text, attachments = [], alone = null) {
  if (running.value && !talking.value) return false
  refused.value = null
  if (current && talking.value) {
    const back = /^\/(?:rewind +(\d+)|again|retry) *$/.exec(text)
    const n = Number(back?.[1] ?? lastSaid()?.n)
    if (back && n) return goBack(n, text)
    running.value = true
    type(run.value, text)
    current.send(text)
    return true
  }
  const before = run.value
  const keep = !alone && (about.value?.mode === 'chat' || settings.project(project.value).talk === true)
  const started = { ...options(), ...(alone && { entry: alone.entry }), attachments, approve: framed ? undefined : approve }
  batch(() => {
    run.value = { ...emptyRun(), sent: { text, attachments, alone } }
    chosen.value = ''
    running.value = true
    talking.value = keep
  })
  current = keep ? golem.chat(project.value, text, started) : golem.run(project.value, text, started)
  const begun = await follow(current)
  if (!begun && before.events && !run.value.events) run.value = before // show the earlier run again
  return begun
}

/** Returns the last message of the person in the transcript. */
export const lastSaid = () => run.value.transcript.findLast((item) => item.kind === 'you' && item.n)

/** Sends the last message once more. In an open conversation, and in one that was resumed, it first goes back to before that message; a resumed run that failed goes on where it was. */
export async function again() {
  const said = lastSaid()
  if (running.value) return false
  if (run.value.tool) return callTool(...run.value.tool)
  if (talking.value && said) return goBack(said.n, '/again')
  const { sent, kept, conversation, header, status } = run.value
  if (kept && !talking.value) {
    const last = { ...kept, id: conversation || header?.run || kept.id, status }
    return resume(last, 0, kept.mode === 'chat' || answered.includes(status))
  }
  return sent && !(said?.n > 1) ? send(sent.text, sent.attachments, sent.alone) : send(said?.text ?? '')
}

/** Runs one worker alone to try it, or calls one of its tools, in a new run, which the view Run shows. text is the input or, as JSON, the arguments. */
export async function alone(entry, text, tool) {
  if (running.value) return tell('Something runs: stop it first.', 'warn')
  await leave()
  view.value = 'run'
  return tool ? callTool(tool, text, entry) : send(text, [], { entry })
}

/** Calls a tool of the entry, or of the worker entry, for the person, with arguments that are a JSON text: in an open conversation with /tool, else in a new run. */
export async function callTool(name, args, entry) {
  if (running.value) return
  if (current && talking.value) {
    running.value = true
    current.send(`/tool ${name} ${args}`)
    return
  }
  batch(() => {
    run.value = { ...emptyRun(), sent: { text: args }, tool: [name, args, entry] }
    refused.value = null
    chosen.value = ''
    running.value = true
  })
  current = golem.call(project.value, name, args, { ...options(), ...(entry && { entry }), approve: framed ? undefined : approve })
  await follow(current)
}

const answered = ['ok', 'needs_input'] // statuses after which a kept run waits for the next message

/** Continues a kept conversation. With at, it branches off before the person's message of that number; with repeat, it sends the last message again. */
export async function resume(kept, at, repeat = false) {
  if (running.value) return
  const name = project.value
  await leave()
  const { said } = await golem.conversation(name, kept.id)
  if (current || name !== project.value) return // the person did something else meanwhile
  const cut = repeat ? said.findLastIndex((s) => s.n) : at ? said.findIndex((s) => s.n === at) : -1
  // An interrupted run continues with its answer; a chat, or a run that has answered, waits for the next message.
  const keep = kept.mode === 'chat' || answered.includes(kept.status) || at > 0
  const started = { ...options(), ...(kept.worker !== about.value?.entry && { entry: kept.worker }), resume: kept.id, at, approve: framed ? undefined : approve }
  batch(() => {
    run.value = recall(emptyRun(), cut < 0 ? said : said.slice(0, cut))
    run.value.kept = kept
    if (!at) run.value.conversation = kept.id
    refused.value = null
    chosen.value = ''
    running.value = true
    talking.value = keep
  })
  current = keep ? golem.chat(project.value, null, started) : golem.run(project.value, '', started)
  if (repeat) current.send('/again')
  await follow(current)
}

/** Goes back, in the open conversation, to before the person's message of this number; it becomes a branch. */
export const rewind = (n) => goBack(n, `/rewind ${n}`)

/** Takes the person's message n, and what follows, out of the transcript and sends the command that does so in the conversation. */
function goBack(n, command) {
  if (running.value || !talking.value) return false
  const shown = run.value.transcript
  const at = shown.findIndex((item) => item.kind === 'you' && item.n === n)
  if (at >= 0) shown.length = at
  running.value = true
  current.send(command)
  return true
}

/** Applies the events of a run until it has ended. Resolves to false if it could not begin. */
const follow = (handle) => (followed = show(handle))

async function show(handle) {
  const shown = run.value
  let begun = false
  const clock = setInterval(schedule, 1000) // running calls show how long they run
  try {
    for await (const e of handle) {
      begun ||= e.type === 'run.start'
      apply(shown, e)
      if (e.type === 'clearance') attempt('listing what is staged', listStaged)
      if (talking.value && (e.type === 'idle' || e.type === 'prompt')) {
        running.value = false
        attempt('listing the files', listFiles)
      }
      if (e.type === 'message') running.value = true
      schedule()
    }
    const { error } = await handle.result
    if (!begun && error && error.code !== 'E_INTERRUPTED') throw error
  } catch (e) {
    shown.status = 'error'
    const fault = { code: e.code ?? 'E_INTERRUPTED', message: e.message, hint: e.hint }
    if (begun) shown.error ??= fault
    else refused.value = fault
    if (view.value !== 'run') tell(faultText(fault), 'error')
  }
  clearInterval(clock)
  if (current === handle) {
    batch(() => {
      current = null
      running.value = false
      talking.value = false
      asked.value = []
      tick.value++
    })
  }
  await attempt('reading the project', async () => {
    await lists()
    await look()
  })
  return begun
}

let due = 0
/** Draws the run again in the next frame, once for any number of events. */
function schedule() {
  if (due) return
  due = requestAnimationFrame(() => {
    due = 0
    tick.value++
  })
}

/** Stops the run, or in a conversation the current exchange; the trace is completed. */
export function stop() {
  for (const q of asked.value) q.answer({ answer: 'no', reason: 'stopped' })
  asked.value = []
  if (talking.value) current?.stop()
  else current?.cancel()
}

/** Stops the run of the open project, ends its conversation, and resolves when the page has shown its end. */
export async function leave() {
  if (running.value) stop()
  if (talking.value) current?.end()
  await followed
}

/** Asks the person a question of golem, and resolves to the answer. signal aborts if the question is withdrawn. */
function approve(request, signal) {
  return new Promise((resolve) => {
    const question = {
      request,
      answer(decision) {
        asked.value = asked.value.filter((q) => q !== question)
        resolve(decision)
      },
    }
    asked.value = [...asked.value, question]
    signal.addEventListener('abort', () => question.answer(null), { once: true })
  })
}
