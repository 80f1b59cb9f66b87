// The live tree: every worker and tool of a run, with its status and cost.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { visible } from './diff.jsx'
import { Status, Detail, brief, took } from './call.jsx'
import { isOver } from './calls.js'
import { spent } from './usage.js'
import * as store from './store.js'

export function Tree({ run }) {
  store.tick.value // draw again with each tick: calls change in place
  const box = useRef(null)
  const still = useRef(true) // the person has not scrolled away from the running call
  useLayoutEffect(() => {
    if (!still.current || !store.running.value) return
    const going = box.current?.querySelectorAll('.mark:is(.running, .asking)')
    going?.[going.length - 1]?.scrollIntoView({ block: 'nearest' })
  })
  useLayoutEffect(() => {
    still.current = true
  }, [run])
  const root = run.calls.get('0')
  if (!root) return <p class="empty small">When something runs, each worker and tool is listed here with its task, its tokens, their cost if it is known, and its time.</p>
  // Arrow keys move through the visible rows of the tree.
  const keys = (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (!step) return
    const nodes = [...box.current.querySelectorAll('.node')]
    nodes[nodes.indexOf(document.activeElement) + step]?.focus()
    e.preventDefault()
  }
  return (
    <div class="scroll grow" onWheel={() => (still.current = false)} onTouchMove={() => (still.current = false)}>
      <ul class="tree" ref={box} onKeyDown={keys}><Node run={run} call={root} /></ul>
    </div>
  )
}

function Node({ run, call }) {
  store.tick.value
  const here = store.chosen.value === call.id
  const doing = call.asking ? 'waits for you' : call.thinking ? 'thinks' : brief(call) || visible(call.task ?? '')
  const meta = [took(call), call.kind === 'worker' ? spent(call.usage) : ''].filter(Boolean).join(' · ')
  return (
    <li>
      <button class="node" aria-expanded={here} onClick={() => (store.chosen.value = here ? '' : call.id)}>
        <Status call={call} />
        <span class="name">{visible(call.name)}</span>
        <span class="args">{isOver(call.status) && call.kind === 'worker' ? '' : doing}</span>
        <span class="meta">{meta}</span>
      </button>
      {here && <Chosen run={run} call={call} />}
      {call.children.length > 0 && <ul>{call.children.map((id) => <Node key={id} run={run} call={run.calls.get(id)} />)}</ul>}
    </li>
  )
}

/** The details of the chosen call, below its line. */
export function Chosen({ run, call, whole, turns }) {
  return <section class="call chosen" aria-label={`Details of ${visible(call.name)}`}><Detail run={run} call={{ ...call, children: [] }} whole={whole} turns={turns} /></section>
}
