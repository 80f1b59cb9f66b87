// Which model a project runs on, with the key that it takes.
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import * as store from './store.js'
import { settings } from './settings.js'
import { Dialog } from './ask.jsx'
import { visible } from './diff.jsx'

const choosing = signal(false)

/** Lets the person choose the open project's model. */
export const chooseModel = () => { choosing.value = true }

/** What keeps the open project's entry from being run, in words; "" if nothing does. */
export function lacking(about) {
  if (!about?.entry || about.tool) return ''
  if (!about.model) return `${about.entry} names no model: choose one.`
  const row = provider(about.model)
  return row?.keyVar && !row.noKey && !settings.environment()[row.keyVar] ? `${about.model} needs a key of ${row.name}.` : ''
}

const provider = (model) => store.golem.providers.find((p) => p.name === model.split(':')[0])

export function ModelChoice() {
  return choosing.value && <Choice />
}

function Choice() {
  const now = store.about.value?.model ?? ''
  const row = provider(now)
  const rows = store.golem.providers
  const [name, setName] = useState(row?.name ?? rows[0].name)
  const [model, setModel] = useState(row ? now.slice(now.indexOf(':') + 1) : '')
  const [key, setKey] = useState(null) // null: as it is kept
  const [offers, setOffers] = useState(null) // of the provider; null: not asked
  const chosen = rows.find((p) => p.name === name)
  const leave = () => { choosing.value = false }
  const other = (provider) => {
    setName(provider)
    setKey(null)
    setOffers(null)
  }
  const list = async () => {
    setOffers({ asking: true })
    const environment = { ...settings.environment(), ...(key?.trim() && { [chosen.keyVar]: key.trim() }) }
    setOffers(await store.golem.models(store.project.value, name, { ...store.options(), env: environment }).then((models) => ({ models }), (error) => ({ error })))
  }
  const use = () => {
    if (!model.trim()) return
    const kept = key === null || settings.setVariable(chosen.keyVar, key.trim())
    if (!settings.setProject(store.project.value, { model: `${name}:${model.trim()}` }) || !kept) store.tell('this browser does not store settings for this page', 'warn')
    leave()
    store.attempt('reading the project', store.inspect)
  }
  return (
    <Dialog title="Choose a model" leave={leave} submit={use} buttons={<button class="button primary" disabled={!model.trim()}>Use it</button>}>
      <div class="field">
        <label for="provider">Provider</label>
        <select id="provider" class="input" value={name} onChange={(e) => other(e.target.value)}>
          {rows.map((p) => <option key={p.name} value={p.name}>{p.name}</option>)}
        </select>
      </div>
      <div class="field">
        <label for="model-name">Model <span class="hint">as the provider calls it, for example gpt-5-mini</span></label>
        <input id="model-name" class="input mono" data-first autocomplete="off" spellcheck={false} value={model} onInput={(e) => setModel(e.target.value)} />
      </div>
      {chosen.keyVar && (
        <div class="field">
          <label for="model-key">Key <span class="hint">{chosen.noKey ? 'not needed' : `for ${new URL(settings.environment()[`${name.toUpperCase()}_BASE_URL`] || chosen.baseURL).host}`}</span></label>
          <input id="model-key" class="input" type="password" autocomplete="off" spellcheck={false} value={key ?? settings.environment()[chosen.keyVar] ?? ''} onInput={(e) => setKey(e.target.value)} />
        </div>
      )}
      <Offers offers={offers} provider={name} model={model.trim()} choose={setModel} list={list} />
      <p class="small muted">The key is stored only in this browser, not encrypted, and is sent only to its provider. Use one with a spending limit. Addresses are in the settings.</p>
    </Dialog>
  )
}

/** The models that the provider has, once it was asked. */
function Offers({ offers, provider, model, choose, list }) {
  if (!offers || offers.asking || offers.error) {
    return (
      <>
        <div class="row"><button type="button" class="button" disabled={!!offers?.asking} onClick={list}>List the models of {provider}</button></div>
        {offers?.error && <p class="note error" role="alert">{visible(offers.error.message)}{offers.error.hint ? ` (${visible(offers.error.hint)})` : ''}</p>}
      </>
    )
  }
  const names = offers.models.map((o) => ({ ...o, id: o.name.slice(provider.length + 1) }))
  const narrow = names.filter((o) => o.id.toLowerCase().includes(model.toLowerCase()))
  const shown = narrow.length && !narrow.some((o) => o.id === model) ? narrow : names
  return (
    <select class="input mono" size={6} aria-label={`models of ${provider}`} value={model} onChange={(e) => choose(e.target.value)}>
      {shown.map((o) => <option key={o.id} value={o.id}>{[o.id, o.context && `${o.context} tokens`, o.price && `$${o.price.in} in, $${o.price.out} out a million`].filter(Boolean).join(' · ')}</option>)}
    </select>
  )
}
