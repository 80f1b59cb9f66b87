import { createGolem } from 'golem'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

const golem = await createGolem({ base: new URL('golem/', document.baseURI) })
const files = { 'main.worker': '---\nmodel: page:clerk\ntoolsets: {page: {names: [shop]}}\n---\nSell.' }
if (!(await golem.list()).some((p) => p.name === 'shop')) await golem.create('shop', files)

function Shop() {
  const [sold, setSold] = useState([])
  const [asked, setAsked] = useState(null)
  const [text, setText] = useState('')
  golem.provide({
    toolsets: { shop: { sell: { risk: 'write', run: ({ what }) => (setSold((all) => [...all, what]), `sold: ${what}`) } } },
    // A function in place of a language model: it sells what the person names.
    models: { clerk: ({ messages: m }) => (m.at(-1).role === 'tool' ? m.at(-1).content : { calls: [{ name: 'sell', args: { what: m.at(-1).content } }] }) },
  })
  const approve = (request) => new Promise((answer) => setAsked({ request, answer: (word) => (setAsked(null), answer({ answer: word })) }))
  const sell = async () => setText((await golem.run('shop', 'tea', { approve }).result).text)
  return (
    <>
      <button id="sell" onClick={sell}>Sell tea</button>
      {asked && <p>{asked.request.tool}? <button id="yes" onClick={() => asked.answer('yes')}>Yes</button></p>}
      <output id="out">{text}</output> <span id="sold">{sold.join()}</span>
    </>
  )
}
createRoot(document.getElementById('root')).render(<Shop />)
