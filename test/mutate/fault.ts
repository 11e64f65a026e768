// Faults that somebody could make, and the tests that notice each (main.ts plants them). They are of many kinds, over the whole product:
// what is here is known to be watched. Each folder of the product has a table in faults/, whose faults stand in that folder. The text to
// find is a piece of one source of the folder, as short as it can be and still be the only one; line breaks and indents count as spaces,
// so that a file may move in its folder and a line be broken anew. Pieces that say a rule are better than pieces that say how it is reached.

export interface Fault {
  name: string
  /** A piece of source text that stands in one place of the folder of its table, outside tests. */
  find: string
  replace: string
  /** The fewest test files that notice, paths below the repository; `file > title` runs only the tests of a long file with this title. */
  tests: string[]
  /** The end of the path of the file that is meant, where no piece is the only one. */
  in?: string
}
