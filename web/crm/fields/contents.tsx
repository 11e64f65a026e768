// What stands in the place of a value that is more than its text: links, choices with their colors, several lines.
import type { ComponentType } from 'react'
import { useElements } from './controls.tsx'
import styles from './contents.module.css'
import { plainText } from './field.ts'
import type { Field, FieldType, Values } from './field.ts'
import { linkOf } from './labelled.ts'
import { useLabelText } from './labels.ts'
import { useValueTexts } from './texts.ts'

interface ContentProps {
  field: Field
  values: NonNullable<Values>
}

/** The values of a field. */
export function Content(props: ContentProps) {
  const Own = contents[props.field.type]
  return <Own {...props} />
}

function PlainText({ field, values }: ContentProps) {
  return <bdi>{useValueTexts().all(field, values)}</bdi>
}

function Lines({ field, values }: ContentProps) {
  return <span className={styles.long}>{useValueTexts().all(field, values)}</span>
}

function TextList({ field, values }: ContentProps) {
  const texts = useValueTexts()
  return (
    <span className={styles.list}>
      {values.map((value, index) => (
        <bdi key={index}>{texts.one(field, value)}</bdi>
      ))}
    </span>
  )
}

/** Texts that lead somewhere, and their labels. */
function Links({ field: { type, code, enums }, values }: ContentProps) {
  const labelText = useLabelText()
  return (
    <span className={styles.list}>
      {values.map((value, index) => {
        const text = plainText(value.value)
        const to = linkOf(type, code, text)
        const label = value.enum_code ?? enums?.find(({ id }) => id === value.enum_id)?.value
        return (
          <span key={index} className={styles.entry}>
            {to === undefined ? (
              <bdi>{text}</bdi>
            ) : (
              <a href={to} {...(type === 'url' && { target: '_blank', rel: 'noreferrer' })}>
                <bdi>{text}</bdi>
              </a>
            )}
            {type === 'multitext' && label && (
              <span className={styles.label}>{labelText(label)}</span>
            )}
          </span>
        )
      })}
    </span>
  )
}

function Pills({ field: { enums }, values }: ContentProps) {
  return (
    <span className={styles.pills}>
      {values.map(({ enum_id, value }) => {
        const color = enums?.find(({ id }) => id === enum_id)?.color
        return (
          <span key={enum_id} className={styles.pill} data-pill>
            {color && <i style={{ background: color }} />}
            <bdi>{plainText(value)}</bdi>
          </span>
        )
      })}
    </span>
  )
}

function Chain({ values }: ContentProps) {
  return (
    <span className={styles.list}>
      {values.map(({ catalog_id = 0, catalog_element_id }) => (
        <Chained key={catalog_id} catalogId={catalog_id} id={catalog_element_id} />
      ))}
    </span>
  )
}

/** The name of an element that a chained list chose. */
function Chained({ catalogId, id }: { catalogId: number; id: number | undefined }) {
  const { data } = useElements(catalogId)
  return <bdi>{data?.find((element) => element.id === id)?.name ?? `#${id}`}</bdi>
}

const contents: Readonly<Record<FieldType, ComponentType<ContentProps>>> = {
  text: PlainText,
  url: Links,
  streetaddress: PlainText,
  tracking_data: PlainText,
  textarea: Lines,
  numeric: PlainText,
  monetary: PlainText,
  price: PlainText,
  checkbox: PlainText,
  select: PlainText,
  radiobutton: PlainText,
  multiselect: Pills,
  category: PlainText,
  date: PlainText,
  birthday: PlainText,
  date_time: PlainText,
  multitext: Links,
  smart_address: TextList,
  legal_entity: TextList,
  chained_list: Chain,
  file: PlainText,
  items: PlainText,
  payer: PlainText,
  supplier: PlainText,
  linked_entity: PlainText,
}
