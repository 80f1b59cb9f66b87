// The page's state and all functions that change it, for the views.
export * from './state.js'
export * from './runs.js'
export * from './opening.js'
