/**
 * Runs the script, and its function if it exports one.
 * @param {string} name - of the script
 * @returns {Promise<string>}
 */
export async function run_script(name) {
  const main = script.default ?? script.main ?? globalThis.module.exports.main
  if (typeof main === 'function') {
    const out = await main(...process.argv.slice(2))
    if (out !== undefined) console.log(out)
  }
  for (let i = 0; i < 10_000; i++) await null // lets promises end for which nobody waits
  if (process.exitCode) golem.call('exit', {code: Number(process.exitCode)})
  return ''
}
