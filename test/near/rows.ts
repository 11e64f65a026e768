/** Chosen rows of a table of tests, and the files for which they are. */
export class ChosenRows {
  #files = new Set<string>()
  #patterns = new Set<string>()

  add(file: string, ...patterns: readonly string[]): void {
    this.#files.add(file)
    for (const pattern of patterns) this.#patterns.add(pattern)
  }

  get only(): string[] {
    return [...this.#patterns]
  }

  get why(): string {
    return `it has rows of ${[...this.#files].join(', ')}`
  }
}
