// Stages that every pipeline has.

export const won = 142
export const lost = 143

export const isClosed = (statusId: number | undefined): boolean =>
  statusId === won || statusId === lost

/** The type of a stage whose leads wait to be accepted. */
export const unsortedType = 1
