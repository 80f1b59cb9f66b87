// The live tree: every worker and tool of a run, where it stands, what it costs.
import { useRef } from 'preact/hooks'
import { visible } from './diff.jsx'
import { Status, Detail, brief } from './call.jsx'
import { isOver, seconds, tokens } from './run.js'
import * as store from './store.js'

export function Tree({ run }) {
  store.tick.value // calls change in place
  const box = useRef(null)
  const root = run.calls.get('0')
  if (!root) return <p class="empty small">Once something runs, each worker and tool stands here with what it does, its tokens and its time.</p>
  const seen = run.calls.get(store.chosen.value)
  // Arrow keys go through the tree as it is seen.
  const keys = (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (!step) return
    const nodes = [...box.current.querySelectorAll('.node')]
    nodes[nodes.indexOf(document.activeElement) + step]?.focus()
    e.preventDefault()
  }
  return (
    <div class="scroll grow">
      <ul class="tree" ref={box} onKeyDown={keys}><Node run={run} call={root} /></ul>
      {seen && (
        <section class="call" aria-label={`Details of ${visible(seen.name)}`}>
          <Detail run={{ ...run, calls: run.calls }} call={{ ...seen, children: [] }} />
        </section>
      )}
    </div>
  )
}

function Node({ run, call }) {
  store.tick.value
  const here = store.chosen.value === call.id
  const doing = call.asking ? 'waits for you' : call.thinking ? 'thinks' : brief(call)
  const meta = [isOver(call.status) ? seconds(call.ms) : '', call.kind === 'worker' ? tokens(call.usage) : ''].filter(Boolean).join(' · ')
  return (
    <li>
      <button class="node" aria-current={here ? 'true' : undefined} onClick={() => (store.chosen.value = here ? '' : call.id)}>
        <Status call={call} />
        <span class="name">{visible(call.name)}</span>
        <span class="args">{isOver(call.status) && call.kind === 'worker' ? '' : doing}</span>
        <span class="meta">{meta}</span>
      </button>
      {call.children.length > 0 && <ul>{call.children.map((id) => <Node key={id} run={run} call={run.calls.get(id)} />)}</ul>}
    </li>
  )
}
