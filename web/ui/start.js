// Opens the form with which the person starts the entry, a tool, or one worker alone. The form
// itself is in forms.jsx.
import { effect, signal } from '@preact/signals'
import * as store from './store.js'

/** The form that is open: {title, action, tools, schema, send}; null: none. send gets what was entered as JSON text. */
export const asked = signal(null)

effect(() => { // a form belongs to the open project
  store.project.value
  asked.value = null
})

/** Opens the form to start a tool of the entry. */
export const startTool = () => store.attempt('listing the tools', async () => {
  const { tools } = await store.golem.describe(store.project.value, '', store.talk())
  const all = tools.filter((t) => t.call !== 'refused' && !t.worker && t.from !== 'golem')
  if (!all.length) return store.tell('The entry has no tool that you may start.')
  asked.value = { title: 'Start a tool', action: 'Start', tools: all.sort((a, b) => (b.call === 'manual') - (a.call === 'manual')), send: (text, tool) => store.callTool(tool.name, text) }
})

/** Reports whether a form can be made from a schema. */
export const hasForm = (schema) => Object.keys(schema?.properties ?? {}).length > 0

/** Opens the form for the entry's input, with a field for each property of its schema; it runs the entry. */
export const fillInput = () => (asked.value = { title: 'Input', action: 'Run', schema: store.about.value.input, send: (text) => store.send(text) })

/** The schema of the form for a worker without an input schema, whose input is a text. */
const task = { properties: { task: { type: 'string', rows: 4 } }, required: ['task'] }

/** Opens the form for the input of one worker; it runs that worker alone. */
export function tryWorker(entry, id, schema) {
  const fields = hasForm(schema)
  asked.value = { title: `Try ${id}`, action: 'Run', schema: fields ? schema : task, send: (text) => store.alone(entry, fields ? text : JSON.parse(text).task) }
}

/** Opens the form for the arguments of one tool of a worker; it calls the tool. */
export const tryTool = (entry, tool) => (asked.value = { title: `Try ${tool.name}`, action: 'Call', tools: [tool], send: (text) => store.alone(entry, text, tool.name) })
