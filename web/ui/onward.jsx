// What to do next, shown after a first run with a script as the model.
import * as store from './store.js'
import { settings } from './settings.js'
import { chooseModel } from './models.js'

export function Onward() {
  const leave = () => {
    settings.onward = true
    store.tick.value++
  }
  return (
    <section class="note onward" aria-label="What comes next">
      <p><b>That was played from a script.</b> With a model of your own the same workers answer anything: a key of a provider, or Ollama or LM Studio on this computer.</p>
      <div class="row"><button class="button primary" onClick={chooseModel}>Use your own model</button><button class="button" onClick={() => (store.view.value = 'files')}>See its files</button><span class="grow" /><button class="button quiet" onClick={leave}>Hide</button></div>
    </section>
  )
}
