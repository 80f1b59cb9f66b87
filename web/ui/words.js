// Replaces what golem's messages say about flags and variables of the command line by words
// for the page, which has buttons and settings instead.

/** Patterns of texts about the command line, and their replacements. words_test.go tests that they cover all messages that a page can get. */
const here = [
  [/,? ?none of --model, (.*?), GOLEM_MODEL, the manifest, your config\.yaml and a caller names one/, ' none is chosen here, and $1, the project and your configuration name none'],
  [/golem login chooses your default and keeps its key; --model \S+ is for one run/, 'choose a model'],
  [/name one as provider:model, e\.g\. --model (\S+)/, 'choose one, for example $1'],
  [/choose a matching model with --model or model:/, 'choose a matching model'],
  [/\(--model (\S+):NAME\)/, '(as $1 calls it)'],
  [/(choose|try) another model with --model/g, '$1 another model'],
  [/there is no key for (.*?): \w+ is not set/, 'there is no key for $1'],
  [/golem login \S+ asks for the key and keeps it; or set \w+ in the environment/, 'enter its key in the settings'],
  [/the key in \w+ may/, 'your key may'],
  [/refused the key in \w+/, 'refused your key'],
  [/check \w+: it must/, 'check it in the settings: it must'],
  [/; golem undo \S+ --diff shows the differences| \(end of input does the same\)/, ''],
  [/this is the branch \S+ now; the other (one|answer) stays in the list of conversations/, 'the other $1 stays: ‹ and › at your message show it'],
  [/record it: golem test --record --filter '.*'/, 'Record makes one'],
  [/^saved in your own configuration: .*/, 'saved: Settings, Calls that do not ask'],
  [/^resumed \S+: (".*"), (\d+) messages?$/, 'You go on with $1 (messages: $2).'],
  [/check the account behind \w+/, 'check the account that your key belongs to'],
  [/if the address is wrong, set \w+_BASE_URL/, 'if the address is wrong, change it in the settings'],
  [/check the address: \w+_BASE_URL must be one/, 'check the address in the settings: it must be one'],
  [/set \w+_BASE_URL=(\S+) yourself/, 'enter $1 in the settings yourself'],
  [/set \w+_BASE_URL to the final address/, 'enter the final address in the settings'],
  [/check \w+_BASE_URL \(now (.*?)\)/, 'check the address in the settings (now $1)'],
  [/say yes when golem asks before a run, or use golem trust or --trust/, 'say yes when golem asks before a run'],
  [/refused by --deny-all \(.*?\)|refused by --deny-all/g, 'refused, because approvals are set to deny'],
  [/ by --approve-all/g, ', because approvals are set to yes to all'],
  [/install it with golem lib install, or name the directory that has it with --lib|golem lib install SOURCE installs (?:it|one)/, 'install it in the view Projects, under Libraries'],
  [/remove it with golem lib remove \S+/, 'remove it in the view Projects, under Libraries'],
  [/allow it with --allow-module-imports, or copy the module into the project/, 'copy the module into the project'],
  [/, name a directory that golem can write to with --lib|, or (?:give|name|use|run with|set) --[a-z-]+.*$/, ''],
  [/ \(?with --[a-z-]+(?: [A-Z]+)?\)?/g, ''],
  [/set (\w+)_BASE_URL, for example/, 'enter the address in the settings, for example'],
  [/golem login keeps the key of one; golem models PROVIDER asks one without a key/, 'enter a key in the settings'],
  [/put the key into an environment variable/, 'enter the key in its own field'],
]

/** Returns a message of golem in the page's words. */
export const inPage = (text) => here.reduce((said, [of, to]) => said.replace(of, to), String(text ?? ''))
