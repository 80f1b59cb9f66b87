// What a person starts by a form: the entry with an input, a tool, one worker
// alone. forms.jsx is the form itself.
import { signal } from '@preact/signals'
import * as store from './store.js'

/** The form that is asked for: {title, action, tools, schema, send}; null: none. */
export const asked = signal(null)

/** Asks which tool of the entry the person starts. */
export const startTool = () => store.attempt('listing the tools', async () => {
  const { tools } = await store.golem.describe(store.project.value, '', store.options())
  const all = tools.filter((t) => t.call !== 'refused' && !t.worker && t.from !== 'golem')
  if (!all.length) return store.tell('The entry has no tool that you may start.')
  asked.value = { title: 'Start a tool', action: 'Start', tools: all.sort((a, b) => (b.call === 'manual') - (a.call === 'manual')), send: (value, tool) => store.callTool(tool.name, value) }
})

/** Whether a form can be made from a schema. */
export const hasForm = (schema) => Object.keys(schema?.properties ?? {}).length > 0

/** Asks for the entry's input, a field for each property of its schema, and runs it. */
export const fillInput = () => (asked.value = { title: 'Input', action: 'Run', schema: store.about.value.input, send: (value) => store.send(JSON.stringify(value)) })

/** A worker without an input schema takes a text. */
const task = { properties: { task: { type: 'string', rows: 4 } }, required: ['task'] }

/** Asks for the input of one worker, and runs it alone. */
export function tryWorker(entry, id, schema) {
  const fields = hasForm(schema)
  asked.value = { title: `Try ${id}`, action: 'Run', schema: fields ? schema : task, send: (value) => store.alone(entry, fields ? value : value.task) }
}

/** Asks for the arguments of one tool of a worker, and calls it. */
export const tryTool = (entry, tool) => (asked.value = { title: `Try ${tool.name}`, action: 'Call', tools: [tool], send: (value) => store.alone(entry, value, tool.name) })
