// The texts of a conversation. What draws Markdown and long texts is loaded after the page has
// started (markdown.jsx); until then the beginning of a text is shown as it is.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const made = signal(null)

/** Loads what draws texts. */
export const load = () => made.value ?? import('./markdown.jsx').then((m) => (made.value = m), () => {}) // without it texts are shown as they are

const part = (name) => function Prose(props) {
  useEffect(() => { load() }, [])
  const View = made.value?.[name]
  return View ? <View {...props} /> : <div class="md"><p class="raw">{props.text.slice(0, 20_000)}</p></div>
}

/** The Markdown of a model. @type {(props: {text: string, live?: boolean}) => any} */
export const Markdown = part('Markdown')

/** Entries of a conversation that do not change any more. @type {(props: {text: string, draw: () => any}) => any} */
export const Entries = part('Entries')

/** A text that is shown as it is. @type {(props: {text: string}) => any} */
const Whole = part('Long')
export const Long = ({ text }) => (text.length > 6_000 ? <Whole text={text} /> : text)
