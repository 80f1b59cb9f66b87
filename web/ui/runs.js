// Begins, continues and stops the runs and conversations of the open project.
import { batch, signal } from '@preact/signals'
import { about, asked, attempt, chosen, elsewhere, files, framed, golem, listFiles, lists, listStaged, look, project, refused, run, running, staged, talk, talking, tell, tick, view } from './state.js'
import { emptyRun, apply } from './run.js'
import { isCommand, recall, type } from './transcript.js'
import { faultText } from './texts.js'
import { undoing } from './panes.js'
import { settings } from './settings.js'
import { approver, here, most, put, sessionOf } from './sessions.js'
import { draw, schedule, turn } from './frames.js'

/** Reports whether something runs in as many other projects as can be, and says so. */
function tooManyRun() {
  const busy = elsewhere.value
  if (busy.length < most) return false
  tell(`Something runs in ${busy.map((b) => b.name).join(', ')}. golem runs in up to ${most} projects at the same time in this browser: wait until one ends, or stop one.`, 'warn')
  return true
}

let emptied = null // resolves when the last conversation is ended and an empty one is shown

/** Begins an empty conversation in the open project; the last one is kept. */
export const fresh = () => (emptied = leave().then(() => batch(() => {
  run.value = emptyRun()
  refused.value = null
  chosen.value = ''
})).finally(() => (emptied = null)))

/** Sends the person's text: to the open conversation, or as a new run, with alone ({entry}) of another worker than the entry. golem itself reads a text that is JSON, because JavaScript does not keep all digits of a number. Resolves to false if the run could not begin. */
export async function send(text, attachments = [], alone = null) {
  if (emptied) await emptied // the message is the first one of the new conversation
  if ((running.value && !talking.value) || (!running.value && tooManyRun())) return false
  refused.value = null
  if (goesOn() && !talking.value && !alone) {
    goOn(run.value.kept, text, attachments)
    return true
  }
  if (here.current && talking.value) {
    const [undo, all] = /^\/undo( all)? *$/.exec(text) ?? []
    if (undo && !running.value) return Boolean(undoing.value = all ? 'all' : 'one')
    const back = /^\/(?:rewind +(\d+)|again|retry) *$/.exec(text)
    const n = Number(back?.[1] ?? lastSaid()?.n)
    if (back && n && !running.value) return goBack(n, text)
    type(run.value, text, attachments, running.value) // while an exchange runs, the message reaches the model before its next request
    running.value = true
    here.current.send(text, { attachments })
    return true
  }
  const s = here
  const before = run.value
  const keep = !alone && (about.value?.mode === 'chat' || settings.project(project.value).talk === true)
  const started = { ...talk(), ...(alone && { entry: alone.entry, assistant: undefined }), attachments, approve: framed ? undefined : approver(here) }
  batch(() => {
    run.value = { ...emptyRun(), sent: { text, attachments, alone, talks: keep } }
    chosen.value = ''
    running.value = true
    talking.value = keep
    if (keep && isCommand(text)) type(run.value, text)
  })
  here.current = keep ? golem.chat(project.value, text, started) : golem.run(project.value, text, started)
  const begun = await follow(s)
  if (!begun && before.events && !(s === here ? run.value : s.run).events) put(s, { run: before }) // show the earlier run again
  return begun
}

/** Sets what workers may do without a question in the open conversation: ask, edits or plan. */
export const permit = (name) => here.current?.permission(name)

/** The messages of the shown conversation that exist in several forms, as golem.conversation lists them: {n, ids, index}. */
export const branches = signal([])

let listedOf = '' // the conversation whose branches were read last

/** Reads the branches of the shown conversation, for which golem reads all of it. With known they are read only if another one is shown than before: each branch is a conversation of its own. */
async function listBranches(known = false) {
  const id = conversing()
  if (known && id === listedOf) return
  listedOf = ''
  if (!id) return void (branches.value = [])
  const listed = await golem.conversation(project.value, id).then((c) => c.branches ?? [], () => null) // it may not be kept yet
  if (id !== conversing()) return
  branches.value = listed ?? []
  if (listed) listedOf = id
}

/** Returns the description of a kept conversation of a project, with error if it cannot be read; undefined if there is none. */
export const keptOf = (name, id) => golem.conversation(name, id).then((c) => c.listing, (error) => (error.code === 'E_NOT_FOUND' ? undefined : { id, error }))

/** Shows another form of a message: the conversation that has it. */
export async function switchTo(id) {
  const kept = await keptOf(project.value, id)
  if (!kept) return tell(`This project has no conversation ${id} any more.`, 'warn')
  return reopen(kept)
}

/** Gives a kept conversation a title. */
export async function rename(id, title) {
  if (talking.value && id === conversing()) {
    if (running.value) return tell('Something runs: stop it first.', 'warn')
    running.value = true
    return here.current.send(`/title ${title}`)
  }
  const kept = await golem.renameConversation(project.value, id, title)
  if (id === conversing()) {
    run.value.title = kept
    tick.value++
  }
}

/** Returns the last message of the person in the transcript. */
export const lastSaid = () => run.value.transcript.findLast((item) => item.kind === 'you' && item.n)

/** Sends the last message once more. In an open conversation, and in one that was resumed, it first goes back to before that message; a resumed run that failed goes on where it was. */
export async function again() {
  const said = lastSaid()
  if (running.value) return false
  if (run.value.tool) return callTool(...run.value.tool)
  if (talking.value && said) return goBack(said.n, '/again')
  const { sent, kept, conversation, header, shown } = run.value
  const status = shown ? kept.status : run.value.status
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
  if (running.value || tooManyRun()) return
  if (here.current && talking.value) {
    running.value = true
    here.current.send(`/tool ${name} ${args}`)
    return
  }
  batch(() => {
    run.value = { ...emptyRun(), sent: { text: args }, tool: [name, args, entry] }
    refused.value = null
    chosen.value = ''
    running.value = true
  })
  here.current = golem.call(project.value, name, args, { ...talk(), ...(entry && { entry, assistant: undefined }), approve: framed ? undefined : approver(here) })
  await follow(here)
}

const answered = ['ok', 'needs_input'] // statuses after which a kept run waits for the next message

/** Shows a kept conversation without continuing it: nothing is sent before the person sends a message or says to go on. */
export async function present(kept) {
  if (running.value) return
  const name = project.value
  await leave()
  const { said } = await golem.conversation(name, kept.id)
  if (here.current || name !== project.value) return
  batch(() => {
    run.value = { ...recall(emptyRun(), said, kept), kept, conversation: kept.id, shown: true, broken: !isComplete(kept) }
    branches.value = []
    refused.value = null
    chosen.value = ''
  })
  await listBranches()
}

/** Reports whether the last exchange of a kept conversation has its end. */
const isComplete = (kept) => answered.includes(kept.status) || kept.status === 'new' || (kept.mode === 'chat' && kept.status !== 'open')

/** Opens a kept conversation from the list. If its last exchange has no end, it is only shown, because to continue it sends a request again. */
export const reopen = (kept) => (isComplete(kept) ? resume(kept) : present(kept))

/** Reports whether the person's next text goes on with what is shown, and is not a new run: in a conversation, and after an exchange without its end. */
export function goesOn() {
  const { shown, broken, kept } = run.value
  return talking.value || (shown && (broken || kept.mode === 'chat' || settings.project(project.value).talk === true))
}

/** Shows the kept conversation of an address. Resolves when it is shown; tells the person if there is none. */
export async function comeBack(id) {
  if (!id || running.value || id === conversing()) return
  const kept = await keptOf(project.value, id)
  if (!kept) return tell(`This project has no conversation ${id} any more.`, 'warn')
  if (kept.error) return tell(faultText(kept.error), 'error')
  await present(kept)
}

/** Shows a kept conversation again if another tab went on with it. */
async function catchUp() {
  const { kept, shown } = run.value
  if (!shown || running.value) return
  const now = await keptOf(project.value, kept.id)
  if (now && !now.error && now.messages !== kept.messages && run.value.kept === kept) await present(now)
}
document.addEventListener('visibilitychange', () => document.hidden || attempt('reading the conversation', catchUp))

/** Ends the open conversation and shows it again: the next message goes on with it, with the model and the keys that are chosen now. */
export async function remodel() {
  const id = conversing()
  await leave()
  const kept = await keptOf(project.value, id)
  if (kept && !kept.error) await present(kept)
}

/** Returns the name under which the conversation that is shown is kept; '' if none is. */
export function conversing() {
  const { tool, conversation, header } = run.value
  return tool ? '' : conversation || header?.run || ''
}

/** Returns the options that name the worker of a kept conversation, if that is not the entry. A talk with the assistant goes on with it, also after the files became a project. */
function workerOptions({ worker }) {
  if (worker === about.value?.entry) return {}
  const own = files.value.some((f) => /(^|\/)assistant(\/worker)?\.(worker|ya?ml)$/.test(f.path))
  return worker === 'assistant' && !own ? { entry: undefined, assistant: true } : { entry: worker, assistant: undefined }
}

/** Continues the conversation that is shown, in which the last exchange may have no end, and sends a message after that. */
export async function goOn(kept, text, attachments = []) {
  const shown = run.value
  Object.assign(shown, { shown: false, broken: false, resumed: true })
  if (text) type(shown, text, attachments)
  batch(() => {
    running.value = true
    talking.value = true
    tick.value++
  })
  here.current = golem.chat(project.value, null, { ...talk(), ...workerOptions(kept), resume: kept.id, approve: framed ? undefined : approver(here) })
  if (text) here.current.send(text, { attachments })
  return follow(here)
}

/** Continues a kept conversation. With at, it branches off before the person's message of that number; with repeat, it sends the last message again. */
export async function resume(kept, at, repeat = false) {
  if (running.value || tooManyRun()) return
  const name = project.value
  await leave()
  const { said } = await golem.conversation(name, kept.id)
  if (here.current || name !== project.value) return // the person did something else meanwhile
  const cut = repeat ? said.findLastIndex((s) => s.n) : at ? said.findIndex((s) => s.n === at) : -1
  // An interrupted run continues with its answer; a chat, or a run that has answered, waits for the next message.
  const keep = kept.mode === 'chat' || answered.includes(kept.status) || at > 0
  const started = { ...talk(), ...workerOptions(kept), resume: kept.id, at, approve: framed ? undefined : approver(here) }
  batch(() => {
    run.value = recall(emptyRun(), said, kept, cut < 0 ? undefined : cut)
    run.value.kept = kept
    if (!at) run.value.conversation = kept.id
    run.value.branched = at > 0
    refused.value = null
    chosen.value = ''
    running.value = true
    talking.value = keep
  })
  here.current = keep ? golem.chat(project.value, null, started) : golem.run(project.value, '', started)
  if (repeat) here.current.send('/again')
  await follow(here)
}

/** Reports whether the person can go back to before a message of what is shown: it is a conversation, also one that has ended. */
export const goesBack = () => talking.value || !!(conversing() && (run.value.shown || run.value.kept || run.value.sent?.talks))

/** Goes back, in the conversation that is shown, to before the person's message of this number; it becomes a branch. */
export async function rewind(n) {
  if (talking.value) return goBack(n, `/rewind ${n}`)
  const id = conversing()
  const kept = run.value.shown ? run.value.kept : await keptOf(project.value, id)
  if (!kept) return tell(`This project has no conversation ${id} any more.`, 'warn')
  return resume(kept, n)
}

/** Takes the person's message n, and what follows, out of the transcript and sends the command that does so in the conversation. */
function goBack(n, command) {
  if (running.value || !talking.value || tooManyRun()) return false
  here.current.send(command) // throws if the conversation ends just now
  const shown = run.value.transcript
  const at = shown.findIndex((item) => item.kind === 'you' && item.n === n)
  if (at >= 0) shown.length = at
  running.value = true
  return true
}

/** Applies the events of a session's run until it has ended. Resolves to false if it could not begin. */
const follow = (s) => (s.followed = show(s, s.current))

async function show(s, handle) {
  const shown = s === here ? run.value : s.run
  let begun = false
  let turned = performance.now()
  const changed = () => s === here && schedule()
  const clock = setInterval(changed, 1000) // running calls show how long they run
  try {
    for await (const e of handle) {
      begun ||= e.type === 'run.start'
      if (performance.now() - turned > 8) {
        await turn()
        turned = performance.now()
      }
      if (e.before > 0) shown.transcript = shown.transcript.filter((item) => !item.back) // only the last note about a branch stays
      apply(shown, e)
      if (e.before > 0) {
        shown.transcript.at(-1).back = shown.branched = true
      } else if (e.type === 'clearance' && s === here) attempt('listing what is staged', listStaged)
      if (isTalking(s) && (e.type === 'idle' || e.type === 'prompt')) {
        put(s, { running: false })
        if (s === here) {
          draw()
          attempt('listing the files', listFiles)
          listBranches(true)
        } else {
          tell(`${s.name} answered.`)
          s.ending = true
          handle.end() // its project is free for other tabs; the next message goes on with the conversation
        }
      }
      if (e.type === 'message') {
        put(s, { running: true })
        if (shown.branched) listedOf = '' // the branch is listed when it has a message of its own
        shown.branched = false
      }
      changed()
    }
    const { error } = await handle.result
    if (!begun && error && error.code !== 'E_INTERRUPTED') throw error
  } catch (e) {
    shown.status = 'error'
    const fault = { code: e.code ?? 'E_INTERRUPTED', message: e.message, hint: e.hint, page: e.page }
    if (begun) shown.error ??= fault
    else if (s === here) refused.value = fault
    if (s !== here || view.value !== 'run') tell(`${s === here ? '' : `${s.name}: `}${faultText(fault)}`, 'error')
  }
  clearInterval(clock)
  if (s.current === handle) await close(s, shown)
  if (s !== here) return begun
  await attempt('reading the project', async () => {
    await lists()
    await look()
    await listBranches()
  })
  return begun
}

const isTalking = (s) => (s === here ? talking.value : s.talking)

/** Ends what a session shows of a run. If the person was in another project then, their next message goes on with the conversation. */
async function close(s, shown) {
  const away = s !== here
  const talked = isTalking(s)
  s.current = null
  put(s, { running: false, talking: false, asked: [] })
  tick.value++
  if (away && !talked) tell(`${s.name} is done: ${shown.status}.`)
  if (talked && s.left) await continueLater(s, shown)
  s.left = s.ending = false
}

/** Lets the person's next message go on with a conversation that was ended because they went to another project. */
async function continueLater(s, shown) {
  const id = shown.conversation || shown.header?.run
  const kept = await keptOf(s.name, id).catch(() => null)
  if (!kept || kept.error) return
  Object.assign(shown, { kept, conversation: id, shown: true, broken: !isComplete(kept) })
  tick.value++
}

/** Stops the run, or in a conversation the current exchange; the trace is completed. */
export function stop() {
  for (const q of asked.value) if (!q.later) q.answer({ answer: 'no', reason: 'stopped' })
  if (talking.value) here.current?.stop()
  else here.current?.cancel()
}

/** Stops the run of a project, the open one if none is named, ends its conversation, and resolves when the page has shown its end. */
export async function leave(name = project.value) {
  const s = sessionOf(name)
  if (!s) return
  if (s !== here) s.current?.cancel()
  else if (running.value) stop()
  if (isTalking(s)) s.current?.end()
  await s.followed
}

/** Leaves the open project: what runs in it goes on, and a conversation that waits for the person is ended, so that other tabs can use the project. Returns a promise of that end, or null. */
export function depart() {
  here.left = talking.value
  return talking.value && !running.value ? leave() : null
}
