// Which model a project runs on: what is missing, and whether the person is choosing
// one. modelchoice.jsx is the dialog.
import { signal } from '@preact/signals'
import * as store from './store.js'
import { providers, settings } from './settings.js'

export const choosing = signal(false)

/** Lets the person choose the open project's model. */
export const chooseModel = () => { choosing.value = true }

/** What keeps the open project's entry from being run, in words; "" if nothing does. */
export function lacking(about) {
  if (!about?.entry || about.tool) return ''
  if (!about.model) return `${about.entry} names no model: choose one.`
  const row = provider(about.model)
  return row?.keyVar && !row.noKey && !settings.environment()[row.keyVar] ? `${about.model} needs a key of ${row.name}.` : ''
}

export const rows = () => providers(store.golem)
export const provider = (model) => rows().find((p) => p.name === model.split(':')[0])
