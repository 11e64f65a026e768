// Which faults are judged, and in which order.
import { shuffled } from '../runs/digest.ts'
import type { Fault } from './fault.ts'

/** Tests of a file: those whose names contain one of the titles, or all where there is no title. */
export interface TestFile {
  file: string
  titles: string[]
}

/** The tests that these faults name (`file` or `file > title`), each file once. */
export function testsOf(...faults: readonly Pick<Fault, 'tests'>[]): TestFile[] {
  const named = faults
    .flatMap(({ tests }) => tests)
    .map((name) => {
      const [file, ...title] = name.split(' > ')
      return { file: file!, title: title.join(' > ') }
    })
  const byFile = Map.groupBy(named, ({ file }) => file)
  return [...byFile].map(([file, tests]) => {
    const titles = [...new Set(tests.map(({ title }) => title))].toSorted()
    return { file, titles: titles.includes('') ? [] : titles }
  })
}

/** Faults that the same files notice, one after the other; the largest group first, so that copies side by side end together. */
export function groupsOf<Each extends Pick<Fault, 'tests'>>(faults: readonly Each[]): Each[][] {
  const groups = Map.groupBy(faults, (fault) =>
    testsOf(fault)
      .map(({ file }) => file)
      .join(' '),
  )
  return [...groups.values()].toSorted((a, b) => b.length - a.length)
}

/** Where a fault is noticed: by a test in Chromium, of web/ below the browser, or of the server. */
export function kindOf(fault: Pick<Fault, 'tests'>): 'page' | 'web' | 'server' {
  const files = testsOf(fault).map(({ file }) => file)
  if (files.some((file) => file.startsWith('test/browser/'))) return 'page'
  return files.some((file) => file.startsWith('test/web')) ? 'web' : 'server'
}

/** The seconds of processor time that a fault takes, about; a test of the server that is not named comes late in its file. */
function costOf(fault: Pick<Fault, 'tests'>): number {
  const isNamed = testsOf(fault).every(({ titles }) => titles.length > 0)
  return { page: 15, web: 2, server: isNamed ? 4 : 10 }[kindOf(fault)]
}

/** A few faults that take so many seconds together, others for each seed, with one of the server and of web/; the longest first. */
export function sampleOf<Each extends Pick<Fault, 'name' | 'tests'>>(
  faults: readonly Each[],
  seed: string,
  seconds: number,
): Each[] {
  const inOrder = shuffled(faults, seed, ({ name }) => name)
  const first = (['server', 'web'] as const).flatMap(
    (kind) => inOrder.find((fault) => kindOf(fault) === kind) ?? [],
  )
  let left = seconds
  const sample = [...new Set([...first, ...inOrder])].filter((fault) => {
    const cost = costOf(fault)
    if (cost > left) return false
    left -= cost
    return true
  })
  return sample.toSorted((a, b) => costOf(b) - costOf(a))
}
