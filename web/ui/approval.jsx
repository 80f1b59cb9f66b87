// The dialog for a question to the person (SPEC §7, SECURITY 19). Before a side effect it
// shows all that will run and what it changes; for other kinds, the title and each line that
// a yes covers. The default is no, and leaving the dialog is no. Nothing that was typed
// before the dialog was open can answer it (SECURITY 9).
import { useEffect, useRef, useState } from 'preact/hooks'
import { shut } from './ask.jsx'
import { Arguments } from './arguments.jsx'
import { Diff, counts, visible } from './diff.jsx'
import { asked, talking } from './store.js'

const settle = 400 // ms after opening in which clicks and keys are ignored: they were not meant for this dialog

export function Approval() {
  const question = asked.value[0]
  return question ? <Question key={question.request.id} question={question} waiting={asked.value.length - 1} /> : null
}

function Question({ question, waiting }) {
  const { request } = question
  const dialog = useRef(null)
  const [reason, setReason] = useState('')
  const [text, setText] = useState('')
  const [calm, setCalm] = useState(false)
  const [rule, setRule] = useState(false)
  const [beside] = useState(() => matchMedia('(min-width: 900px)').matches)
  useEffect(() => {
    const before = document.activeElement
    if (beside) dialog.current.show() // not modal: the person can look at the page meanwhile
    else dialog.current.showModal()
    if (beside && typing(before)) before.focus() // a person who is writing keeps the focus; screen readers announce the question
    else dialog.current.querySelector('[data-first]').focus()
    const timer = setTimeout(() => setCalm(true), settle)
    return () => {
      clearTimeout(timer)
      if (before instanceof HTMLElement && before.isConnected && (!beside || dialog.current?.contains(document.activeElement))) shut(dialog.current, before)
    }
  }, [])
  const answer = (a) => {
    if (!calm && a !== 'no') return
    shut(dialog.current)
    question.answer({ answer: a, reason: a === 'no' || a === 'never' ? reason : '', text: a === 'yes' ? text : '' })
  }
  const offers = (a) => request.answers.includes(a)
  const call = request.kind === 'tool'
  const input = request.kind === 'input'
  const span = `until this ${talking.value ? 'conversation' : 'run'} ends`
  const title = !call ? visible(request.title) : request.type === 'file_write' ? 'Change a file?' : request.type === 'command' ? 'Run this?' : 'Allow this call?'
  return (
    <dialog ref={dialog} class={beside ? 'beside' : ''} role="alertdialog" aria-labelledby="ask-title" onCancel={(e) => { e.preventDefault(); answer('no') }}
      onKeyDown={(e) => { if (beside && e.key === 'Escape') { e.preventDefault(); answer('no') } }}>
      <div class="dialog">
        <div class="row head">
          <h2 id="ask-title" class="grow">{title}</h2>
          {!input && <span class={`risk ${request.risk}`}>{request.risk} risk</span>}
        </div>
        <div class="body" tabIndex={call || input ? undefined : 0}>
          {call ? <Facts request={request} /> : <Lines request={request} />}
          {request.kind === 'trust' && <p class="small">No: nothing of this is used, and a run that needs it ends.</p>}
          {call && <Arguments args={beyond(request)} exact={request.shown} closed={!!request.diff} />}
          {request.diff && <Changes patch={request.diff} />}
          {call && <div class="field">
            <label for="reason">Reason, if you say no <span class="hint">(the worker reads it)</span></label>
            <input id="reason" class="input" value={reason} onInput={(e) => setReason(e.target.value)} />
          </div>}
          {input && <div class="field">
            <label for="reply">Your answer <span class="hint">(without one the run ends here)</span></label>
            <input id="reply" class="input" value={text} onInput={(e) => setText(e.target.value)} onKeyDown={(e) => e.key === 'Enter' && text.trim() && answer('yes')} />
          </div>}
          {rule && <div class="stack" role="group" aria-label="The rule">
            <p>Save this rule in this browser? Then {visible(request.lasting.says)} do not ask any more. Settings lists your rules and removes them.</p>
            <pre class="mono wrap">- {visible(request.lasting.yaml)}</pre>
            <div class="row"><button class="button primary" disabled={!calm} onClick={() => answer('keep')}>Save the rule, and yes</button> <button class="button" onClick={() => setRule(false)}>Do not save</button></div>
          </div>}
          {waiting > 0 && <p class="small muted">{waiting} more {waiting === 1 ? 'question waits' : 'questions wait'}.</p>}
        </div>
        <div class="row foot answers">
          {offers('never') && <button class="button danger" onClick={() => answer('never')} title={`no, and no whenever this exact call comes again, ${span}`}>No to this call, {span}</button>}
          <button class="button" data-first onClick={() => answer('no')}>{input ? 'No answer' : 'No'}</button>
          <span class="grow" />
          {offers('always') && <button class="button" disabled={!calm} onClick={() => answer('always')} title={`yes, and yes to every call of this tool, whatever its arguments, ${span}`}>Yes to all {visible(request.tool)} calls, {span}</button>}
          {offers('keep') && <button class="button" disabled={!calm} onClick={() => setRule(true)} title="shows a rule for calls like this in this project, before anything is saved">Keep a rule…</button>}
          {offers('session') && <button class="button" disabled={!calm} onClick={() => answer('session')} title={`yes, and yes whenever this exact call comes again, ${span}`}>Yes to this call, {span}</button>}
          <button class="button primary" disabled={!calm || (input && !text.trim())} onClick={() => answer('yes')}>{input ? 'Answer' : 'Yes'}</button>
        </div>
      </div>
    </dialog>
  )
}

/** Returns the arguments without the path, if one of the paths above shows exactly that path. */
function beyond({ args, paths = [] }) {
  if (!args || typeof args !== 'object' || !paths?.some((p) => p.path === args.path)) return args
  const { path, ...rest } = args
  return rest
}

/** Reports whether the person is writing in an element: the editor, or a field that has a text. */
const typing = (e) => Boolean(e?.shadowRoot || (e?.matches?.('textarea, input:not([type=checkbox], [type=radio], [type=file])') && e.value))

/** The lines that a yes covers, in a question that is not about a call. */
function Lines({ request }) {
  return (
    <div class="stack">
      {request.workerPath && <dl class="facts"><Workers path={request.workerPath} /></dl>}
      {(request.lines ?? []).map((l, i) => (
        <dl class="facts stacked" key={i}>
          <dt class="mono">{visible(l.path)}</dt>
          <dd>{l.value.includes('\n') ? <pre class="block" tabIndex={0} role="region" aria-label={visible(l.path)}>{visible(l.value)}</pre> : <span class="mono">{visible(l.value)}</span>}{l.where && <span class="small muted where"> {visible(l.where)}</span>}{l.means && <p class="small">{visible(l.means)}</p>}</dd>
        </dl>
      ))}
    </div>
  )
}

function Facts({ request }) {
  return (
    <dl class="facts">
      <dt>Tool</dt><dd><strong>{visible(request.tool)}</strong>{request.description && <span class="muted small"> {visible(request.description)}</span>}</dd>
      {request.module && <><dt>Module</dt><dd>{visible(request.module.replace(/@sha256:(\w{12})\w*$/, ' (custom tool, sha256 $1…)'))}</dd></>}
      {(request.module || request.grants) && <><dt>{request.module ? 'Granted' : 'Reaches'}</dt><dd>{request.grants?.map((g) => <div key={g.name}>{g.name}: <span class="mono">{visible(g.value)}</span></div>) ?? 'nothing: it can only compute'}</dd></>}
      <Workers path={request.workerPath} />
      {request.workers?.length > 1 && request.workers.at(-1).task && <><dt>Task</dt><dd>{visible(request.workers.at(-1).task)}</dd></>}
      {(request.paths ?? []).map((p) => <><dt>{p.op}</dt><dd class="mono">{visible(p.path)}</dd></>)}
      {request.why && <><dt>Why asked</dt><dd class="small">{visible(request.why)}</dd></>}
      {request.unchanged && <><dt>Change</dt><dd>none: the file already has this content</dd></>}
    </dl>
  )
}

/** The workers from the root to the one that asks. */
const Workers = ({ path }) => <><dt>{path.length > 1 ? 'Workers' : 'Worker'}</dt><dd>{path.map(visible).join(' → ')}</dd></>

function Changes({ patch }) {
  const { plus, minus } = counts(patch)
  return (
    <div class="stack">
      <h3>Changes <span class="small muted">+{plus} −{minus}</span></h3>
      <Diff patch={patch} />
    </div>
  )
}
