// The choices that this browser keeps for a user: widths, columns, what is collapsed.
import { useCallback, useState } from 'react'

/** A choice of a user, kept by this browser. */
export function useBrowserChoice<Value>(
  name: string,
  initial: Value,
): [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => readBrowserChoice(name, initial))
  const keep = useCallback(
    (next: Value) => {
      setValue(next)
      writeBrowserChoice(name, next)
    },
    [name],
  )
  return [value, keep]
}

/** The kept value; `initial` where there is nothing, or no place to keep. */
export function readBrowserChoice<Value>(name: string, initial: Value): Value {
  try {
    const text = localStorage.getItem(`kontor.${name}`)
    return text === null ? initial : (JSON.parse(text) as Value)
  } catch {
    return initial
  }
}

export function writeBrowserChoice(name: string, value: unknown): void {
  try {
    localStorage.setItem(`kontor.${name}`, JSON.stringify(value))
  } catch {
    // A browser may keep nothing; then the choice lasts as long as the page.
  }
}
