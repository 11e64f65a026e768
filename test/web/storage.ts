// The storage of a browser as tabs see it: each tab reads its own state, and hears of the others' changes later.

/** One storage for the code under test, as `localStorage`. */
export function fakeStorage(items = new Map<string, string>()) {
  return {
    get length() {
      return items.size
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

/** Two tabs. Each sees its own writes at once, and those of the other after `exchange`. */
export function twoTabs() {
  const tabs = [new Map<string, string>(), new Map<string, string>()]
  let writes: { tab: number; key: string; value: string | undefined }[] = []
  const storages = tabs.map((items, tab) => {
    const storage = fakeStorage(items)
    return Object.assign(storage, {
      setItem(key: string, value: string) {
        items.set(key, value)
        writes.push({ tab, key, value })
      },
      removeItem(key: string) {
        items.delete(key)
        writes.push({ tab, key, value: undefined })
      },
    })
  })
  return {
    storages,
    /** The browser passes all writes on; of two to one key the later one stays. */
    exchange() {
      const common = new Map(tabs[0])
      for (const { key, value } of writes)
        if (value === undefined) common.delete(key)
        else common.set(key, value)
      writes = []
      for (const items of tabs) {
        items.clear()
        for (const [key, value] of common) items.set(key, value)
      }
    },
  }
}
