import { useFormatter } from 'use-intl'

/** Answers a function that says the size of a file: "12 kB". */
export function useSizeText(): (bytes: number) => string {
  const format = useFormatter()
  return (bytes) => {
    const [unit, divisor] =
      bytes < 1000
        ? (['byte', 1] as const)
        : bytes < 1e6
          ? (['kilobyte', 1e3] as const)
          : (['megabyte', 1e6] as const)
    return format.number(bytes / divisor, {
      style: 'unit',
      unit,
      unitDisplay: 'short',
      maximumFractionDigits: divisor === 1e6 ? 1 : 0,
    })
  }
}
