import { cpSync } from 'node:fs'

// golem loads its web worker and golem.wasm.gz itself, so its files are copied unchanged beside those of the site.
const golem = { name: 'golem', closeBundle: () => cpSync('node_modules/golem/dist', 'dist/golem', { recursive: true }) }

export default { base: './', plugins: [golem], build: { target: 'es2022', rollupOptions: { input: ['index.html', 'react.html'] } } }
