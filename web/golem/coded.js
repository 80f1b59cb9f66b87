/** Returns an error of golem itself, with a code, in place of one that a function of the page threw. */
export const coded = (code, message, hint = '') => Object.assign(new Error(message), { golem: true, code, hint })

/** What providers accept as the name of a tool; core/tool has the same rule. */
export const toolName = /^[a-zA-Z0-9_-]{1,64}$/
