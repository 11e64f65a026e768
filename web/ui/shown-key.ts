// How keys are written on this computer.
const isApple = /mac|iphone|ipad/i.test(navigator.platform)

/** A key as people read it: `mod+k` is Ctrl K, on a Mac ⌘ K. */
export const shownKey = (key: string): string =>
  key
    .split('+')
    .map((part) =>
      part === 'mod'
        ? isApple
          ? '⌘'
          : 'Ctrl'
        : part === 'alt'
          ? isApple
            ? '⌥'
            : 'Alt'
          : part === 'shift'
            ? '⇧'
            : part.length === 1
              ? part.toUpperCase()
              : part,
    )
    .join(' ')
