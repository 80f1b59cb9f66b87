import { cpSync } from 'node:fs'

// golem loads its worker and golem.wasm.gz itself: they go beside the site's files as they are.
const golem = { name: 'golem', closeBundle: () => cpSync('node_modules/golem/dist', 'dist/golem', { recursive: true }) }

export default { base: './', plugins: [golem], build: { target: 'es2022', rollupOptions: { input: ['index.html', 'react.html'] } } }
