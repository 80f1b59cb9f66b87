// The dialog for a question to the person (SPEC §7, SECURITY 9, 19). Before a side effect it
// shows all that will run and what it changes; for other kinds, the title and each line that
// a yes covers. Leaving the dialog is no. A person who types never answers it: it takes the focus
// from no field, no button of it has the focus at first, a yes counts only after its end was
// shown, and an answer that lasts wants a second act.
import { useEffect, useRef, useState } from 'preact/hooks'
import { shut } from './ask.jsx'
import { Arguments } from './arguments.jsx'
import { Diff, counts, visible } from './diff.jsx'
import { entered, inText, typedJustNow } from './keys.jsx'
import { asked, project, talking } from './store.js'

const settle = 400 // ms after opening in which clicks and keys are ignored: they were not meant for this dialog

export function Approval() {
  const question = asked.value[0]
  return question ? <Question key={project.value + question.request.id} question={question} waiting={asked.value.length - 1} /> : null
}

/** Moves the focus to the question, and opens it if it waits until the person has written. */
export function goToQuestion() {
  document.querySelector('[data-show]')?.click()
  document.querySelector('dialog.question[open] .body')?.focus({ preventScroll: true }) // a low window shows its title first
}

function Question({ question, waiting }) {
  const { request } = question
  const dialog = useRef(null)
  const end = useRef(null)
  const [reason, setReason] = useState('')
  const [text, setText] = useState('')
  const [calm, setCalm] = useState(false)
  const [seen, setSeen] = useState(false) // the end of what a yes covers was on the screen
  const [second, setSecond] = useState('') // what waits for a second act; see Second
  const [beside] = useState(() => matchMedia('(min-width: 900px)').matches)
  const [later, setLater] = useState(() => !beside && typedJustNow()) // over the whole of a narrow window it waits until the person opens it
  useEffect(() => {
    if (later) return undefined
    setCalm(false)
    const before = document.activeElement
    // Not modal: the person can look at the page meanwhile. show() would take the focus for a moment.
    if (beside) dialog.current.setAttribute('open', '')
    else dialog.current.showModal()
    if (!beside || !inText(before)) goToQuestion() // a person who writes keeps the focus; screen readers announce the question
    const timer = setTimeout(() => setCalm(true), settle)
    const watch = new IntersectionObserver((all) => all.some((e) => e.isIntersecting) && setSeen(true), { rootMargin: '0px 0px -56px' }) // in a low window buttons cover the last lines
    watch.observe(end.current)
    const keys = (e) => {
      const elsewhere = e.defaultPrevented || e.isComposing || document.querySelector('dialog:modal') || e.composedPath().some((n) => n === dialog.current || n.matches?.('[contenteditable]'))
      if (beside && !elsewhere && (e.key === 'F6' || e.key === 'Escape')) {
        e.preventDefault()
        goToQuestion()
      }
    }
    addEventListener('keydown', keys)
    return () => {
      clearTimeout(timer)
      watch.disconnect()
      removeEventListener('keydown', keys)
      if (before instanceof HTMLElement && before.isConnected && (!beside || dialog.current?.contains(document.activeElement))) shut(dialog.current, before)
    }
  }, [later])
  const input = request.kind === 'input'
  const aside = () => { // over the whole of a narrow window: the person reads what the question is about
    shut(dialog.current)
    setLater(true)
  }
  const answer = (a) => {
    if (a !== 'no' && (!calm || !seen)) return
    if (a === 'yes' && request.kind === 'trust' && !second) return setSecond('yes')
    shut(dialog.current)
    question.answer({ answer: a, reason: a === 'no' || a === 'never' ? reason : '', text: a === 'yes' ? text : '' })
  }
  const leave = () => { // a question of a batch can wait
    if (!question.later) return answer('no')
    shut(dialog.current)
    question.later()
  }
  const keys = (e) => {
    if (e.repeat && ['Enter', ' '].includes(e.key) && e.target.matches('button')) e.preventDefault() // a key that is held down
    if (!beside || e.key !== 'Escape' || e.isComposing) return
    e.preventDefault()
    leave()
  }
  const call = request.kind === 'tool'
  const title = input ? `${visible(request.workerPath?.at(-1) ?? 'A worker')} asks you` : !call ? visible(request.title) : request.type === 'file_write' ? 'Change a file?' : request.type === 'command' ? 'Run this?' : 'Allow this call?'
  return (
    <>
    {later && <div class="note warn toast" role="alert"><span class="grow">A question waits for you: {title}</span><button class="button" data-show onClick={() => setLater(false)}>Show it</button></div>}
    <dialog ref={dialog} class={beside ? 'question beside' : 'question'} role="alertdialog" aria-labelledby="ask-title" onCancel={(e) => { e.preventDefault(); leave() }} onKeyDown={keys}>
      <div class="dialog">
        <div class="row head">
          <h2 id="ask-title" class="grow">{title}</h2>
          {!input && <span class={`risk ${request.risk}`}>{request.risk} risk</span>}
          {!beside && <button class="button quiet small" title="the question waits until you open it again" onClick={aside}>See the page</button>}
        </div>
        <div class="body" tabIndex={0} role="group" aria-label={title}>
          {call ? <Facts request={request} /> : <Lines request={request} />}
          {request.kind === 'trust' && <p class="small">No: nothing of this is used, and a run that needs it ends.</p>}
          {call && <Arguments args={otherArguments(request)} exact={request.shown} closed={!!request.diff} />}
          {request.diff && <Changes patch={request.diff} />}
          {input && <div class="field">
            <label for="reply">Your answer <span class="hint">(without one the run ends here; never give a key or a password)</span></label>
            <input id="reply" class="input" value={text} onInput={(e) => setText(e.target.value)} onKeyDown={(e) => entered(e) && text.trim() && answer('yes')} />
          </div>}
          <span class="end" ref={end} />
          {call && <div class="field">
            <label for="reason">Reason, if you say no <span class="hint">(the worker reads it)</span></label>
            <input id="reason" class="input" value={reason} onInput={(e) => setReason(e.target.value)} />
          </div>}
          {waiting > 0 && <p class="small muted">{waiting} more {waiting === 1 ? 'question waits' : 'questions wait'}.</p>}
        </div>
        <div class="row foot answers">{second
          ? <Second request={request} act={second} answer={answer} turn={(to) => { setSecond(to); if (!to) goToQuestion() }} />
          : <Answers request={request} ready={calm && seen && !(input && !text.trim())} answer={answer} later={question.later && leave} more={() => setSecond('more')} unseen={!seen && (() => { end.current.scrollIntoView({ block: 'center' }); goToQuestion() })} />}
        </div>
      </div>
    </dialog>
    </>
  )
}

const span = () => `until this ${talking.value ? 'conversation' : 'run'} ends`

/** The answers that last longer than the question, in the order in which they are listed. */
const lasting = ['session', 'always', 'keep', 'never']

function Answers({ request, ready, answer, later, more, unseen }) {
  const input = request.kind === 'input'
  return (
    <>
      {unseen && <p class="small unseen" id="ask-end">A yes counts after you saw the end. <button class="button small" onClick={unseen}>Show the end</button></p>}
      <button class="button" data-first onClick={() => answer('no')}>{input ? 'No answer' : 'No'}</button>
      {later && <button class="button quiet" onClick={later}>Later</button>}
      <span class="grow" />
      {request.answers.some((a) => lasting.includes(a)) && <button class="button quiet" disabled={!ready} onClick={more} title="answers that hold for later calls, too">Other answers…</button>}
      <button class="button primary" disabled={!ready} aria-describedby={unseen ? 'ask-end' : undefined} onClick={() => answer('yes')}>{input ? 'Answer' : 'Yes'}</button>
    </>
  )
}

/** The second act of an answer that lasts: it says what will hold, and for how long. act is more for the list of such answers, keep for a rule, yes for trust. */
function Second({ request, act, answer, turn }) {
  const box = useRef(null)
  const [calm, setCalm] = useState(false)
  useEffect(() => {
    box.current.focus() // on no button: a key that the person still presses does nothing
    setCalm(false)
    const timer = setTimeout(() => setCalm(true), settle)
    return () => clearTimeout(timer)
  }, [act])
  const button = (a, words, title) => <button class={`button ${act === 'more' ? (a === 'never' ? 'danger' : '') : 'primary'}`} disabled={!calm} onClick={() => (a === 'keep' && act === 'more' ? turn('keep') : answer(a))} title={title}>{words}</button>
  const texts = {
    session: [`Yes to this call, ${span()}`, 'yes, and yes whenever this exact call comes again'],
    always: [`Yes to all ${visible(request.tool)} calls, ${span()}`, 'yes, and yes to every call of this tool, whatever its arguments'],
    keep: ['Keep a rule…', 'shows a rule for calls like this in this project, before anything is saved'],
    never: [`No to this call, ${span()}`, 'no, and no whenever this exact call comes again'],
  }
  return (
    <div class="stack second" role="group" aria-label={act === 'keep' ? 'The rule' : 'This lasts'} ref={box} tabIndex={-1}>
      {act === 'more' && <ul class="stack">{lasting.filter((a) => request.answers.includes(a)).map((a) => <li key={a}>{button(a, ...texts[a])}</li>)}</ul>}
      {act === 'keep' && <><p>Save this rule in this browser? Then {visible(request.lasting?.says)} do not ask any more. Settings lists your rules and removes them.</p><pre class="mono wrap">- {visible(request.lasting?.yaml)}</pre></>}
      {act === 'yes' && <p>golem keeps this yes in this browser until these settings change. Settings shows it and forgets it.</p>}
      <div class="row">{act === 'keep' && button('keep', 'Save the rule, and yes')}{act === 'yes' && button('yes', 'Trust these settings')} <button class="button" onClick={() => turn('')}>{act === 'keep' ? 'Do not save' : 'Back'}</button></div>
    </div>
  )
}

/** Returns the arguments without the path, if one of the paths above shows exactly that path. */
function otherArguments({ args, paths = [] }) {
  if (!args || typeof args !== 'object' || !paths?.some((p) => p.path === args.path)) return args
  const { path, ...rest } = args
  return rest
}

/** The lines that a yes covers, in a question that is not about a call. */
function Lines({ request }) {
  return (
    <div class="stack">
      {request.workerPath && <dl class="facts"><Workers path={request.workerPath} /></dl>}
      {(request.lines ?? []).map((l, i) => (l.by
        ? <figure class="words" key={i}><figcaption class="small muted">{visible(l.path)}. These are not golem’s words.</figcaption><blockquote>{visible(l.value)}</blockquote></figure>
        : <dl class="facts stacked" key={i}>
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
      {request.runs && <><dt>Runs</dt><dd class="mono">{request.runs.map((r, i) => <div key={i}>{visible(r)}</div>)}</dd></>}
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
