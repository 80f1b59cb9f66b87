// The page's icons, drawn as lines in the colour of the text beside them.

const paths = {
  run: 'M7 5l11 7-11 7z',
  stop: 'M7 7h10v10H7z',
  files: 'M4 6h6l2 2h8v11H4z',
  trace: 'M5 5v14M5 8h8M5 13h12M5 18h6',
  settings: 'M4 7h10M18 7h2M4 12h2M10 12h10M4 17h8M16 17h4M14 5v4M6 10v4M12 15v4',
  more: 'M5.4 12a.6 .6 0 1 0 1.2 0a.6 .6 0 1 0 -1.2 0M11.4 12a.6 .6 0 1 0 1.2 0a.6 .6 0 1 0 -1.2 0M17.4 12a.6 .6 0 1 0 1.2 0a.6 .6 0 1 0 -1.2 0',
  plus: 'M12 5v14M5 12h14',
  rewind: 'M9 14L4 9l5-5M4 9h11a5 5 0 0 1 0 10h-3',
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M12 4v12M7 12l5 5 5-5M5 20h14',
  up: 'M12 20V8M7 12l5-5 5 5M5 4h14',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  again: 'M5 12a7 7 0 117 7M5 12l-3-3M5 12l3-3',
  bell: 'M6 16V11a6 6 0 0112 0v5l2 2H4zM10 21h4',
  chat: 'M4 5h16v11H9l-5 4z',
  trash: 'M5 7h14M9 7V5h6v2M7 7l1 12h8l1-12',
  file: 'M7 3h7l4 4v14H7zM14 3v4h4',
  folder: 'M4 6h6l2 2h8v10H4z',
  worker: 'M12 4a4 4 0 100 8 4 4 0 000-8zM5 20c0-4 3-6 7-6s7 2 7 6',
  tool: 'M14 6a4 4 0 015 5l-2-2-2 1-1-2zM14 10l-8 8 2 2 8-8',
  box: 'M12 3l8 4v10l-8 4-8-4V7zM4 7l8 4 8-4M12 11v10',
  link: 'M10 14a4 4 0 006 0l3-3a4 4 0 00-6-6l-1 1M14 10a4 4 0 00-6 0l-3 3a4 4 0 006 6l1-1',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  moon: 'M20 14A8 8 0 1110 4a7 7 0 0010 10z',
  check: 'M5 12l5 5 9-10',
  pen: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  back: 'M15 6l-6 6 6 6',
  chevron: 'M9 6l6 6-6 6',
  save: 'M5 5h11l3 3v11H5zM8 5v5h7V5M8 19v-6h8v6',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
}

/** @param {{name: keyof typeof paths}} props */
export const Icon = ({ name }) => (
  <svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" focusable="false">
    <path d={paths[name]} fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
  </svg>
)
