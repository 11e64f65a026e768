import { Button, Checkbox, Group, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import styles from './events.module.css'
import type { EventName } from './webhooks.ts'

/** The events of each entity. */
const matrix = {
  lead: ['add', 'update', 'delete', 'restore', 'status', 'responsible', 'note'],
  contact: ['add', 'update', 'delete', 'restore', 'responsible', 'note'],
  company: ['add', 'update', 'delete', 'restore', 'responsible', 'note'],
  customer: ['add', 'update', 'delete', 'responsible', 'note'],
  task: ['add', 'update', 'delete', 'responsible'],
  unsorted: ['add', 'update', 'delete'],
  catalog_element: ['add', 'update', 'delete'],
  message: ['add'],
  outgoing_message: ['add'],
  talk: ['add', 'update'],
  chat_template_review: ['add'],
} as const

type Entity = keyof typeof matrix
type Action = (typeof matrix)[Entity][number]
const entities = Object.keys(matrix) as Entity[]
const actions: Action[] = ['add', 'update', 'delete', 'restore', 'status', 'responsible', 'note']

const eventsOf = (entity: Entity) =>
  matrix[entity].map((action) => `${action}_${entity}` as EventName)
const allEvents = entities.flatMap(eventsOf)

/** The choice of events: a row for each entity, a column for each action. */
export function EventMatrix({
  value = [],
  onChange,
  error,
}: {
  value?: EventName[]
  onChange: (events: EventName[]) => void
  error?: React.ReactNode
}) {
  const words = useTranslations('webhooks')
  const chosen = new Set(value)
  const set = (events: EventName[], isChosen: boolean) =>
    onChange(allEvents.filter((event) => (events.includes(event) ? isChosen : chosen.has(event))))
  return (
    <fieldset className={styles.events}>
      <legend className={styles.legend}>{words('events')}</legend>
      <Group justify="space-between" gap="sm">
        <Text c="dimmed" size="sm">
          {words('chosen', { number: value.length, all: allEvents.length })}
        </Text>
        <Group gap="xs">
          <Button variant="subtle" onClick={() => onChange(allEvents)}>
            {words('chooseAll')}
          </Button>
          <Button variant="subtle" color="gray" onClick={() => onChange([])}>
            {words('chooseNone')}
          </Button>
        </Group>
      </Group>
      <div className={styles.scroll}>
        <table>
          <thead>
            <tr>
              <td />
              {actions.map((action) => (
                <th key={action} scope="col">
                  {words(`action.${action}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {entities.map((entity) => {
              const own = eventsOf(entity)
              const number = own.filter((event) => chosen.has(event)).length
              const [isAll, isSome] = [number === own.length, number > 0]
              return (
                <tr key={entity}>
                  <th scope="row">
                    <Checkbox
                      label={words(`entity.${entity}`)}
                      checked={isAll}
                      indeterminate={isSome && !isAll}
                      onChange={() => set(own, !isAll)}
                    />
                  </th>
                  {actions.map((action) => {
                    const event = `${action}_${entity}` as EventName
                    return (
                      <td key={action}>
                        {own.includes(event) && (
                          <Checkbox
                            aria-label={`${words(`entity.${entity}`)}: ${words(`action.${action}`)}`}
                            checked={chosen.has(event)}
                            onChange={({ currentTarget }) => set([event], currentTarget.checked)}
                          />
                        )}
                      </td>
                    )
                  })}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {error && (
        <Text c="danger" role="alert" className={styles.error}>
          {error}
        </Text>
      )}
    </fieldset>
  )
}
