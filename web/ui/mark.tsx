/** The mark of Kontor: a K made of a counter and two strokes. */
export const KontorMark = ({ size = 28 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
    <rect width="32" height="32" rx="8" fill="var(--accent)" />
    <path
      d="M9 8v16M23 8 13.5 16 23 24"
      fill="none"
      stroke="var(--on-accent)"
      strokeWidth="4"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)
