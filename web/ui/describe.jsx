// Shows the data of golem describe: what a worker is before it runs.
import { visible } from './diff.jsx'

export function Description({ of }) {
  const { prompt, view } = of
  return (
    <div class="stack described">
      <p><b>{visible(of.id)}</b> ({visible(of.path)}, {visible(of.source)})</p>
      {of.description && <p>{visible(of.description)}</p>}
      {of.tool && <p>The entry is the tool {visible(of.tool)}: there is no prompt.</p>}
      {prompt && <Part title={`Prompt (${prompt.path}:${prompt.line}${prompt.template ? ', a template, rendered at each call' : ''})`} text={prompt.source} />}
      {of.input && <Part title="Input (JSON Schema)" text={JSON.stringify(of.input, null, 2)} />}
      {of.output && <Part title="Output (JSON Schema)" text={JSON.stringify(of.output, null, 2)} />}
      <h3>Tools</h3>
      {of.tools.length === 0 ? <p>none</p>
        : <Table name="Tools" head={['Tool', 'Risk', 'Call', 'Why', 'From']} rows={of.tools.map((t) => [t.name, t.risk, t.call, [t.why, ...more(t)].join('\n'), t.from])} />}
      <h3>Files, if a person runs it</h3>
      {view.mounts.length === 0 ? <p>none but attachments</p>
        : <Table name="Files that it sees" head={['Path', 'Mode', 'From', 'Where', 'Limits']} rows={view.mounts.map((m) => [m.at, m.mode, m.root, m.origin, limits(m)])} />}
      {view.restrict && <p>restricted to {visible(view.restrict)}</p>}
      <h3>Network</h3>
      <p>{view.network ? 'yes, to tools that may use it' : 'no'}</p>
      <h3>Settings</h3>
      <Table name="Settings" head={['Setting', 'Value', 'Origin']} rows={of.settings.filter((s) => !/^(in|out)put_schema\./.test(s.path)).map((s) => [s.path, s.value || 'none', s.origin])} />
    </div>
  )
}

/** Shows the data of golem run --dry-run: what a run of the project would do. */
function Plan({ of }) {
  return (
    <div class="stack described">
      <p>What a run of {visible(of.entry)} could do{of.mode !== 'interactive' && ` in approval mode ${of.mode}`}. Nothing has run.</p>
      <h3>Hosts that requests can go to</h3>
      {of.hosts.length === 0 ? <p>none</p> : <Table name="Hosts" head={['Host', 'For']} rows={of.hosts.map((h) => [h.host, h.for])} />}
      {of.workers.map((w) => <details key={w.path} open={w.id === of.entry}><summary>{visible(w.id)}: {visible(w.model || 'the model of its caller')}</summary><Description of={{ ...w, settings: w.limits }} /></details>)}
    </div>
  )
}

/** Shows what a run would do, and which worker may call which. */
export const Ahead = ({ run, tree }) => <><Plan of={run} /><Callers of={tree} /></>

/** Shows the data of golem workers --tree: which worker may call which. */
function Callers({ of }) {
  const workers = new Map(of.workers.map((w) => [w.id, w]))
  const shown = new Set() // a worker's calls are shown once
  const Node = ({ id, call }) => {
    const w = workers.get(id)
    const again = shown.has(id)
    shown.add(id)
    return (
      <li>
        <b>{visible(id)}</b>{w && ` (${visible(w.path)})`}{call && call.call !== 'runs' && `, ${call.call}: ${visible(call.why)}`}{call?.cycle && (call.recursion ? ', a cycle that it allows' : ', a cycle: a run refuses it')}
        {again && w?.calls.length > 0 && !call?.cycle && ' (shown above)'}
        {w && !again && (
          <ul>
            {['asks', 'runs', 'refused', 'manual'].map((how) => {
              const tools = w.tools.filter((t) => t.call === how)
              return tools.length > 0 && <li key={how}>{how === 'manual' ? 'only you can start' : how}: {tools.map((t) => `${visible(t.name)} (${t.risk})`).join(', ')}</li>
            })}
            {w.calls.map((c) => <Node key={c.worker} id={c.worker} call={c} />)}
          </ul>
        )}
      </li>
    )
  }
  return <section class="described" aria-label="Who may call whom"><h3>Who may call whom</h3><ul class="tree">{of.workers.filter((w) => w.root).map((w) => <Node key={w.id} id={w.id} />)}</ul></section>
}

const Part = ({ title, text }) => <><h3>{visible(title)}</h3><pre class="small">{text.split('\n').map(visible).join('\n')}</pre></>

const Table = ({ name, head, rows }) => (
  <div class="wide" role="region" aria-label={name} tabIndex={0}><table class="list small">
    <thead><tr>{head.map((h) => <th key={h} scope="col">{h}</th>)}</tr></thead>
    <tbody>{rows.map((row, i) => <tr key={i}>{row.map((cell, n) => <td key={n}>{cell.split('\n').map((line) => <div key={line}>{visible(line)}</div>)}</td>)}</tr>)}</tbody>
  </table></div>
)

const more = (t) => [
  ...(t.unless ?? []).map((u) => `but ${u}`),
  ...(t.uses && t.uses.join() !== t.worker ? [`can call: ${t.uses.join(', ')}`] : []),
  ...(t.grants ?? []).map((g) => `may use ${g.name}: ${g.value}`),
]

const limits = (m) => [
  ...(m.suffixes ? [`only ${m.suffixes.join(' ')}`] : []),
  ...(m.max_file_bytes ? [`files of at most ${m.max_file_bytes} bytes`] : []),
  ...Object.entries(m.approval ?? {}).sort().map(([op, set]) => `${op}: ${set}`),
].join('; ')
