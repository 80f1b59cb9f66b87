// The menu of what a person can do in a conversation, in the order and with the words of
// core/ui: actions.js is generated from there, and this file says what each action does.
import * as store from './store.js'
import { actions } from './actions.js'
import { Dialog } from './ask.jsx'
import { Icon } from './icons.jsx'
import { draft } from './composer.jsx'
import { chooseModel } from './models.js'
import { showKeys } from './keys.jsx'
import { startTool } from './start.js'
import { titleOf } from './transcript.js'
import { beside, menu, side, undoing } from './panes.js'

const field = () => requestAnimationFrame(() => document.getElementById('task')?.focus())
const go = (view) => () => (store.view.value = view)
const sendCommand = (text) => () => store.send(text) // the conversation reads it as a command
const command = (text) => () => {
  draft(text)
  field()
}

/** What each action does in the page. talks: it needs an open conversation. */
const deeds = {
  send: { does: field },
  stop: { does: () => store.stop() },
  answer: { does: () => document.querySelector('dialog[open] button')?.focus() },
  help: { does: showKeys },
  new: { does: () => store.fresh() },
  resume: { does: () => {
    beside.value = 'history'
    side.value = 'beside'
  } },
  rewind: { does: () => {
    const last = store.lastSaid()
    if (!last) return store.tell('There is no message to go back to.')
    store.rewind(last.n)
    draft(last.text, last.files)
  }, talks: true },
  again: { does: () => (store.lastSaid() ? store.again() : store.tell('Nothing was said yet.')) },
  model: { does: chooseModel },
  set: { does: command('/set '), talks: true },
  tools: { does: go('workers') },
  tool: { does: startTool },
  clearance: { does: go('staged') },
  undo: { does: () => { // the view Staged lists the runs that can be undone
    if (store.conversing()) undoing.value = 'one'
    else store.view.value = 'staged'
  } },
  approvals: { does: go('settings') },
  cost: { does: sendCommand('/cost'), talks: true },
  title: { does: () => import('./history.jsx').then((m) => m.retitle({ id: store.conversing(), title: titleOf(store.run.value) })), talks: true },
  test: { does: sendCommand('/test'), talks: true },
  compact: { does: sendCommand('/compact'), talks: true },
  trace: { does: go('trace') },
  attach: { does: () => document.querySelector('.composer input[type=file]')?.click() },
  export: { does: () => store.attempt('the export', async () => {
    const id = store.run.value.conversation || store.run.value.header?.run
    if (!id) return store.tell('Nothing was said yet.')
    store.download(`${id}.md`, await store.golem.exportConversation(store.project.value, id))
  }) },
  copy: { does: async () => {
    await navigator.clipboard.writeText(store.run.value.transcript.findLast((item) => item.kind === 'golem').said.text)
    store.tell('The last answer is copied.')
  } },
  exit: { does: () => store.leave(), talks: true },
}

/** The groups in which the menu shows the actions; an action without a group is among the others. */
const named = [
  ['This conversation', ['new', 'again', 'rewind', 'title', 'compact', 'export', 'copy', 'exit']],
  ['Your message', ['send', 'stop', 'steer', 'attach', 'answer']],
  ['Model and permission', ['model', 'set', 'ask', 'edits', 'plan', 'cost']],
  ['Tools and changes', ['tools', 'tool', 'clearance', 'undo', 'test', 'approvals', 'trace']],
]
const groups = [...named, ['More', actions.map((a) => a.name).filter((name) => !named.some(([, names]) => names.includes(name)))]].filter(([, names]) => actions.some((a) => names.includes(a.name)))

const icons = {
  new: 'plus', again: 'again', rewind: 'rewind', title: 'pen', compact: 'box', export: 'down', copy: 'copy', exit: 'close', send: 'run', stop: 'stop', attach: 'files', answer: 'check', model: 'worker', set: 'settings', cost: 'trace',
  tools: 'tool', tool: 'run', clearance: 'check', undo: 'rewind', approvals: 'check', trace: 'trace', resume: 'chat', help: 'more', ask: 'chat', edits: 'pen', plan: 'file',
}

/** Returns what an action does. A command that deeds does not have is written into the field. */
const deed = (a) => deeds[a.name] ?? { does: command(`/${a.command} `), talks: true }

/** Reports whether an action is possible now. */
function possible(a) {
  const { when } = a
  if (deed(a).talks && !store.talking.value) return false
  const state = {
    idle: () => !store.running.value, busy: () => store.running.value, asked: () => store.asked.value.length > 0,
    answered: () => store.run.value.transcript.some((item) => item.kind === 'golem'), staged: () => store.staged.value.length > 0,
  }
  return !when || state[when]()
}

/** Returns an action's help without the parts about arguments of the command, which only the command line has. */
const helpHere = (help) => help.replace(/; (without|alone|with yes)\b.*|, by its number .*|: each offered .*| \(end of .*|, or your message N(?=,)|, or its last code block,/, '').replace('message N', 'last message')

export function Menu() {
  const leave = () => (menu.value = false)
  const pick = (a) => {
    leave()
    store.attempt(a.name, async () => deed(a).does())
  }
  return (
    <Dialog title="What you can do" leave={leave} submit={leave} cancel="Close">
      <div class="actions">{groups.map(([title, names]) => <><h3>{title}</h3><ul>
        {actions.filter((a) => names.includes(a.name)).map((a) => (
          <li key={a.name}><button type="button" class="button quiet" data-action={a.name} disabled={!possible(a)} onClick={() => pick(a)}>
            <Icon name={icons[a.name] ?? 'chevron'} /><b>{a.name}</b><span class="small muted grow">{helpHere(a.help)}</span>
          </button></li>
        ))}
      </ul></>)}</div>
      <p class="small muted">In an open conversation, the ones that golem chat has as commands can be written too: /cost.</p>
    </Dialog>
  )
}
