// An ordinary Extism plug-in: it uses the functions of the public PDK and nothing of
// golem. Its description is in the file beside it, vowels.tools.yaml.
import { Host, Var, Config } from '@extism/as-pdk'

function myAbort(_message: string | null, _file: string | null, _line: u32, _column: u32): void {}

// textOf returns the value in {"text":"…"}, which is how golem writes arguments. It
// leaves out escape sequences.
function textOf(json: string): string {
  let text = ''
  for (let i = json.indexOf(':') + 2; i < json.length && json.charAt(i) != '"'; i++) {
    if (json.charAt(i) == '\\') i += json.charAt(i + 1) == 'u' ? 5 : 1
    else text += json.charAt(i)
  }
  return text
}

export function count_vowels(): i32 {
  const text = textOf(Host.inputString())
  let count = 0
  for (let i = 0; i < text.length; i++) {
    if ('aeiouAEIOU'.includes(text.charAt(i))) count++
  }
  Var.set('calls', Uint8Array.wrap(String.UTF8.encode('one')))
  const kept = Var.get('calls')
  const unit = Config.get('unit')
  Host.outputString('{"count":' + count.toString() + ',"unit":"' + (unit === null ? 'vowels' : unit) + '","kept":"' + (kept === null ? '' : String.UTF8.decode(kept.buffer)) + '"}')
  return 0
}
