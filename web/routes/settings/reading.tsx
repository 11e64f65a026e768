// Pipelines, fields, types of tasks and loss reasons as a user sees them who is no administrator: what there is, and
// nothing that changes it. The vocabulary of the account, which every page has, is enough for them.
import { Badge, Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { Drawing, isDrawn } from '../../crm/icons.tsx'
import { useFieldMarks } from '../../features/fields/list.tsx'
import { fieldEntities } from '../../features/fields/fields.ts'
import { namedType } from '../../features/fields/type-icons.ts'
import type { AccountPipeline } from '../../features/pipelines/pipelines.ts'
import { isOwnStage } from '../../features/pipelines/strip.tsx'
import { ListRow, RecordList } from '../../ui/list.tsx'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { settingsAt, useRecordId } from './pages.ts'

export function PipelinesToRead() {
  const words = useTranslations('pipelines')
  const { pipelines } = useBootstrap()
  return (
    <PageFrame title={words('title')} about={words('readOnly')}>
      <RecordList label={words('title')}>
        {pipelines
          .toSorted((a, b) => Number(a.is_archive) - Number(b.is_archive))
          .map((pipeline) => (
            <PipelineLine key={pipeline.id} pipeline={pipeline} />
          ))}
      </RecordList>
    </PageFrame>
  )
}

export function PipelineLine({ pipeline }: { pipeline: AccountPipeline }) {
  const words = useTranslations('pipelines')
  const { id, name, is_main, is_archive, statuses } = pipeline
  return (
    <ListRow
      to={settingsAt('pipelines', id)}
      name={name}
      about={
        <>
          <span>{words('stageCount', { count: statuses.length })}</span>
          {is_main && <Badge variant="light">{words('main')}</Badge>}
          {is_archive && (
            <Badge variant="light" color="gray">
              {words('archived')}
            </Badge>
          )}
        </>
      }
    />
  )
}

export function StagesToRead({
  pipeline,
  up,
}: {
  pipeline: AccountPipeline
  up: { to: string; title: string }
}) {
  const words = useTranslations('pipelines')
  return (
    <PageFrame title={pipeline.name} up={up} about={words('readOnly')}>
      <PageSection title={words('stages')}>
        <RecordList label={words('stages')}>
          {pipeline.statuses.map((stage) => (
            <ListRow
              key={stage.id}
              name={stage.name}
              mark={<Drawing of={{ color: stage.color.slice(1), icon_id: null }} />}
              about={
                <>
                  {!isOwnStage(stage) && <span>{words('system')}</span>}
                  {stage.stale_after_days !== null && (
                    <span>{words('staleAfterDays', { count: stage.stale_after_days })}</span>
                  )}
                </>
              }
            />
          ))}
        </RecordList>
      </PageSection>
    </PageFrame>
  )
}

/** The fields of leads, contacts, companies or customers; those of segments no page of theirs shows. */
export function FieldsToRead() {
  const words = useTranslations('fields')
  const pipelines = useTranslations('pipelines')
  const shell = useTranslations('shell')
  const navigate = useNavigate()
  const { custom_fields } = useBootstrap()
  const id = useRecordId()
  const entities = fieldEntities.filter((each) => each !== 'segments')
  const entity = entities.find((each) => each === id)
  if (!entity)
    return (
      <PageFrame title={words('title')}>
        <Empty title={shell('notFound')} text={shell('notFoundText')} />
      </PageFrame>
    )
  const { groups, fields } = custom_fields[entity]
  return (
    <PageFrame title={words('title')} about={pipelines('readOnly')}>
      <Tabs
        value={entity}
        onChange={(name) => name && void navigate({ to: settingsAt('fields', name) })}
      >
        <Tabs.List mb="lg">
          {entities.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {words(`entity.${each}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {entities.map((each) => (
          <Tabs.Panel key={each} value={each}>
            {each === entity &&
              (fields.length === 0 ? (
                <Empty title={words('none')} />
              ) : (
                groups
                  .map((group) => ({
                    ...group,
                    own: fields.filter(({ group_id }) => (group_id ?? 'default') === group.id),
                  }))
                  .filter(({ own }) => own.length > 0)
                  .map((group) => (
                    <PageSection key={group.id} title={group.name}>
                      <RecordList label={group.name}>
                        {group.own.map((field) => (
                          <FieldToRead key={field.id} entity={entity} field={field} />
                        ))}
                      </RecordList>
                    </PageSection>
                  ))
              ))}
          </Tabs.Panel>
        ))}
      </Tabs>
    </PageFrame>
  )
}

type ShownField = ReturnType<typeof useBootstrap>['custom_fields']['leads']['fields'][number]

function FieldToRead({
  entity,
  field,
}: {
  entity: 'leads' | 'contacts' | 'companies' | 'customers'
  field: ShownField
}) {
  const words = useTranslations('fields')
  const marks = useFieldMarks(entity, field)
  const type = namedType(field.type)
  return (
    <ListRow
      name={field.name}
      about={
        <>
          <span>
            {words(`type.${type}`)}
            {field.enums && type !== 'smart_address' && ` (${field.enums.length})`}
          </span>
          {marks.map((mark) => (
            <span key={mark}>{mark}</span>
          ))}
        </>
      }
    />
  )
}

export function LossReasonsToRead() {
  const words = useTranslations('lossReasons')
  const { loss_reasons } = useBootstrap()
  return (
    <ThingsToRead
      title={words('title')}
      things={loss_reasons}
      empty={<Empty title={words('none')} />}
    />
  )
}

export function TaskTypesToRead() {
  const words = useTranslations('taskTypes')
  const create = useTranslations('create')
  const { task_types } = useBootstrap()
  const things = task_types.map((type) => ({
    ...type,
    name:
      type.code === 'FOLLOW_UP' || type.code === 'MEETING'
        ? create(`taskTypes.${type.code}`)
        : type.name,
  }))
  return <ThingsToRead title={words('title')} things={things} />
}

function ThingsToRead({
  title,
  things,
  empty,
}: {
  title: string
  things: (Parameters<typeof isDrawn>[0] & { id: number; name: string })[]
  empty?: ReactNode
}) {
  const words = useTranslations('pipelines')
  const isAnyDrawn = things.some(isDrawn)
  return (
    <PageFrame title={title} about={words('readOnly')}>
      {things.length === 0 ? (
        empty
      ) : (
        <RecordList label={title}>
          {things.map((thing) => (
            <ListRow key={thing.id} name={thing.name} mark={isAnyDrawn && <Drawing of={thing} />} />
          ))}
        </RecordList>
      )}
    </PageFrame>
  )
}
