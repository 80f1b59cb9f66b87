// Says what is missing to run a project on its model, and opens the dialog to choose one
// (modelchoice.jsx).
import { effect, signal } from '@preact/signals'
import * as store from './store.js'
import { providers, settings } from './settings.js'

export const choosing = signal(false)

effect(() => { // the choice is for the open project
  store.project.value
  choosing.value = false
})

/** Opens the dialog to choose the open project's model. */
export const chooseModel = () => { choosing.value = true }

/** Returns why the open project's entry cannot run, in a sentence: no model, or no key. "" if nothing is missing. */
export function lacking(about) {
  if (!about?.entry || about.tool) return ''
  if (!about.model) return store.assisting.value ? 'The assistant needs a model: one of a provider, with a key, or one on this computer.' : `${about.entry} names no model: choose one.`
  const row = provider(about.model)
  return row?.keyVar && !row.noKey && !settings.environment()[row.keyVar] ? `${about.model} needs a key of ${row.name}.` : ''
}

export const rows = () => providers(store.golem)
export const provider = (model) => rows().find((p) => p.name === model.split(':')[0])
