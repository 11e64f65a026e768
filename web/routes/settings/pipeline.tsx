import { Button, Modal, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Archive, ArchiveRestore, Copy, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { stageColors } from '../../crm/colors.ts'
import { bootstrapQuery, useBootstrap } from '../../crm/bootstrap.ts'
import { isClosed, unsortedType } from '../../crm/stages.ts'
import { jobsQuery, startJob } from '../../features/jobs/jobs.ts'
import { JobsStrip } from '../../features/jobs/jobs-strip.tsx'
import {
  archivePipeline,
  changePipeline,
  copyPipeline,
  createStage,
  deletePipeline,
  deleteStage,
  mostStages,
  stageTextsQuery,
  stageTotalsQuery,
} from '../../features/pipelines/pipelines.ts'
import type { AccountPipeline, PipelineStage } from '../../features/pipelines/pipelines.ts'
import { StageFields } from '../../features/pipelines/stage-fields.tsx'
import { SavedText, StagePanel } from '../../features/pipelines/stage-panel.tsx'
import { StageStrip, isOwnStage } from '../../features/pipelines/strip.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { Select } from '../../ui/select.tsx'
import { Setting, Settings } from '../../ui/setting.tsx'
import { Empty, Failure, ProblemAlert, Rows } from '../../ui/states.tsx'
import { settingsAt, useRecordId } from './pages.ts'
import { NamedPipeline } from './pipelines.tsx'
import { StagesToRead } from './reading.tsx'

/** A pipeline: its stages, how it takes requests, and its end. */
export function PipelinePage() {
  const words = useTranslations('pipelines')
  const id = Number(useRecordId())
  const { me, pipelines } = useBootstrap()
  const pipeline = pipelines.find((each) => each.id === id)
  const up = { to: settingsAt('pipelines'), title: words('title') }
  if (pipeline && !me.is_admin) return <StagesToRead pipeline={pipeline} up={up} />
  if (pipeline) return <Loaded key={id} pipeline={pipeline} up={up} />
  return (
    <PageFrame title={words('pipeline')} up={up}>
      <Empty title={words('gone')} text={words('goneText')} />
    </PageFrame>
  )
}

function Loaded({
  pipeline,
  up,
}: {
  pipeline: AccountPipeline
  up: { to: string; title: string }
}) {
  const words = useTranslations('pipelines')
  const client = useQueryClient()
  const totals = useQuery(stageTotalsQuery(pipeline.id))
  const texts = useQuery(stageTextsQuery(pipeline.id))
  const navigate = useNavigate()
  const { stage: named } = useSearch({ strict: false }) as { stage?: number | string }
  const open = named === undefined ? undefined : Number(named)
  const setOpen = (stage: number | undefined) =>
    void navigate({
      to: '.',
      search: (stage === undefined ? {} : { stage }) as never,
      resetScroll: false,
    })
  const isGone = named !== undefined && !pipeline.statuses.some(({ id }) => id === open)
  const [dialog, setDialog] = useState<'copy' | 'archive' | 'delete'>()
  const [adding, setAdding] = useState<PipelineStage>()
  const [deleting, setDeleting] = useState<PipelineStage>()
  const refresh = () =>
    Promise.all([
      client.refetchQueries({ queryKey: bootstrapQuery.queryKey }),
      client.invalidateQueries({ queryKey: ['pipelines', pipeline.id] }),
    ])
  const leads = Object.values(totals.data ?? {}).reduce((sum, count) => sum + count, 0)
  const failed = [texts, totals].find((query) => query.isError && !query.data)
  const isFull = pipeline.statuses.length >= mostStages
  const archive = useMutation({
    mutationFn: (isArchived: boolean) => archivePipeline(pipeline.id, isArchived),
    onSuccess: async () => {
      await refresh()
      setDialog(undefined)
    },
  })
  return (
    <PageFrame
      title={pipeline.name}
      up={up}
      isWide
      about={words('limitStages', { count: pipeline.statuses.length, most: mostStages })}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<Copy size={14} aria-hidden />}
            onClick={() => setDialog('copy')}
          >
            {words('copy')}
          </Button>
          {pipeline.is_archive ? (
            <Button
              variant="default"
              leftSection={<ArchiveRestore size={14} aria-hidden />}
              loading={archive.isPending}
              onClick={() => archive.mutate(false)}
            >
              {words('unarchive')}
            </Button>
          ) : (
            !pipeline.is_main && (
              <Button
                variant="default"
                leftSection={<Archive size={14} aria-hidden />}
                onClick={() => setDialog('archive')}
              >
                {words('archive')}
              </Button>
            )
          )}
          <Button
            variant="default"
            c="danger"
            leftSection={<Trash2 size={14} aria-hidden />}
            onClick={() => setDialog('delete')}
          >
            {words('delete')}
          </Button>
        </>
      }
    >
      <JobsStrip />
      {pipeline.is_archive && <Text c="dimmed">{words('archivedAbout')}</Text>}
      {dialog === undefined && <ProblemAlert error={archive.error} />}
      <PageSection title={words('stages')} about={words('stagesAbout')}>
        {failed ? (
          <Failure
            error={failed.error}
            retry={() => {
              for (const query of [texts, totals]) if (query.isError) void query.refetch()
            }}
          />
        ) : texts.isPending || totals.isPending ? (
          <Rows number={1} />
        ) : (
          <>
            <StageStrip
              pipeline={pipeline}
              totals={totals.data}
              open={open}
              onOpen={setOpen}
              onAdd={setAdding}
              onDelete={setDeleting}
              refresh={refresh}
              isFull={isFull}
              panel={(stage, steps) => (
                <StagePanel
                  key={stage.id}
                  pipeline={pipeline.id}
                  stage={stage}
                  texts={texts.data?.[stage.id] ?? (texts.data && [])}
                  refresh={refresh}
                  onDelete={() => setDeleting(stage)}
                  steps={steps}
                  fields={<StageFields pipeline={pipeline.id} stage={stage.id} refresh={refresh} />}
                />
              )}
            />
            {isGone && (
              <Empty
                title={words('goneStage')}
                text={words('goneStageText')}
                action={
                  <Button variant="default" onClick={() => setOpen(undefined)}>
                    {words('close')}
                  </Button>
                }
              />
            )}
          </>
        )}
      </PageSection>
      <PageSection title={words('settings')}>
        <PipelineSettings pipeline={pipeline} refresh={refresh} />
      </PageSection>
      <Modal
        opened={dialog === 'copy'}
        onClose={() => setDialog(undefined)}
        title={words('copy')}
        closeButtonProps={{ 'aria-label': words('close') }}
      >
        <Text mb="md">{words('copyAbout')}</Text>
        <NamedPipeline
          name={words('copyName', { name: pipeline.name })}
          action={words('copy')}
          send={(name) => copyPipeline(pipeline.id, name)}
          onClose={() => setDialog(undefined)}
        />
      </Modal>
      <Confirm
        opened={dialog === 'archive'}
        title={words('archiveOf', { name: pipeline.name })}
        text={words('archiveText')}
        action={words('archive')}
        isSafe
        isPending={archive.isPending}
        error={archive.error}
        onConfirm={() => archive.mutate(true)}
        onClose={() => {
          setDialog(undefined)
          archive.reset()
        }}
      />
      <Deletion
        opened={dialog === 'delete'}
        pipeline={pipeline}
        leads={leads}
        onClose={() => setDialog(undefined)}
      />
      <Modal
        opened={adding !== undefined}
        onClose={() => setAdding(undefined)}
        title={words('newStage')}
        closeButtonProps={{ 'aria-label': words('close') }}
      >
        {adding && (
          <NewStage
            pipeline={pipeline}
            before={adding}
            refresh={refresh}
            onDone={(id) => {
              setAdding(undefined)
              setOpen(id)
            }}
            onClose={() => setAdding(undefined)}
          />
        )}
      </Modal>
      <Modal
        opened={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title={words('deleteStageOf', { name: deleting?.name ?? '' })}
        closeButtonProps={{ 'aria-label': words('close') }}
      >
        {deleting && (
          <StageDeletion
            pipeline={pipeline}
            stage={deleting}
            count={totals.data && (totals.data[deleting.id] ?? 0)}
            onBegun={() => {
              // The user who deletes a stage knows that it goes.
              if (open === deleting.id) setOpen(undefined)
            }}
            onClose={() => setDeleting(undefined)}
          />
        )}
      </Modal>
    </PageFrame>
  )
}

function PipelineSettings({
  pipeline,
  refresh,
}: {
  pipeline: AccountPipeline
  refresh: () => Promise<unknown>
}) {
  const words = useTranslations('pipelines')
  const useChange = () =>
    useMutation({
      mutationFn: async (change: Parameters<typeof changePipeline>[1]) => {
        await changePipeline(pipeline.id, change)
        await refresh()
      },
    })
  const [main, unsorted] = [useChange(), useChange()]
  return (
    <Settings>
      <Stack maw={420} mb="md">
        <SavedText
          label={words('name')}
          value={pipeline.name}
          maxLength={255}
          isRequired
          save={(name) => changePipeline(pipeline.id, { name })}
          refresh={refresh}
        />
      </Stack>
      <Setting
        title={words('main')}
        about={words(pipeline.is_main ? 'isMainAbout' : 'mainAbout')}
        save={main}
      >
        {(names) => (
          <Switch
            {...names}
            checked={pipeline.is_main || main.isPending}
            disabled={pipeline.is_main}
            onChange={() => main.mutate({ is_main: true })}
          />
        )}
      </Setting>
      <Setting title={words('unsorted')} about={words('unsortedAbout')} save={unsorted}>
        {(names) => (
          <Switch
            {...names}
            checked={
              unsorted.isPending
                ? (unsorted.variables.is_unsorted_on ?? false)
                : pipeline.is_unsorted_on
            }
            onChange={({ currentTarget }) =>
              unsorted.mutate({ is_unsorted_on: currentTarget.checked })
            }
          />
        )}
      </Setting>
    </Settings>
  )
}

function NewStage({
  pipeline,
  before,
  refresh,
  onDone,
  onClose,
}: {
  pipeline: AccountPipeline
  before: PipelineStage
  refresh: () => Promise<unknown>
  onDone: (id: number) => void
  onClose: () => void
}) {
  const words = useTranslations('pipelines')
  const { form, submit, isPending, error } = useFilled({
    values: { name: '' },
    validate: { name: (typed) => (typed.trim() === '' ? words('nameMissing') : undefined) },
    send: async ({ name }) => {
      const color = stageColors[(pipeline.statuses.length * 4) % stageColors.length]!
      const next = pipeline.statuses.find(({ id }) => id === before.id) ?? before
      const id = await createStage(pipeline.id, { name, sort: next.sort, color })
      await refresh()
      return id
    },
    onDone,
    fieldOf: () => 'name',
  })
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={words('add')}
      isPending={isPending}
      error={error}
    >
      <TextInput
        label={words('stageName')}
        maxLength={255}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
    </DialogForm>
  )
}

/** Asks where the leads of a stage go, and begins the job. */
function StageDeletion({
  pipeline,
  stage,
  count,
  onBegun,
  onClose,
}: {
  pipeline: AccountPipeline
  stage: PipelineStage
  /** Undefined while it is not known. */
  count: number | undefined
  /** The job that deletes the stage has begun. */
  onBegun: () => void
  onClose: () => void
}) {
  const words = useTranslations('pipelines')
  const client = useQueryClient()
  const others = pipeline.statuses.filter(
    ({ id, type }) => id !== stage.id && type !== unsortedType,
  )
  const own = pipeline.statuses.filter(isOwnStage)
  const at = own.findIndex(({ id }) => id === stage.id)
  const neighbour = own[at + 1] ?? own[at - 1]
  const { form, submit, isPending, error } = useFilled({
    values: { move_to: String(neighbour?.id ?? '') },
    validate: {
      move_to: (id) =>
        others.some((each) => String(each.id) === id) ? undefined : words('targetMissing'),
    },
    send: ({ move_to }) => deleteStage(pipeline.id, stage.id, Number(move_to)),
    onDone: () => {
      void client.invalidateQueries({ queryKey: jobsQuery.queryKey })
      onBegun()
      onClose()
    },
  })
  if (own.length === 1) return <Text>{words('lastStage')}</Text>
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={words('deleteStage')}
      isPending={isPending}
      error={error}
    >
      <Stack gap="md">
        <Text>
          {count === undefined
            ? words('deleteStageUncounted')
            : words('deleteStageText', { count })}
        </Text>
        <Select
          label={words('target')}
          data={others.map(({ id, name }) => ({ value: String(id), label: name }))}
          allowDeselect={false}
          {...form.getInputProps('move_to')}
        />
      </Stack>
    </DialogForm>
  )
}

/** Deletes a pipeline without leads; of one with leads, says so and offers to move them. */
function Deletion({
  opened,
  pipeline,
  leads,
  onClose,
}: {
  opened: boolean
  pipeline: AccountPipeline
  leads: number
  onClose: () => void
}) {
  const words = useTranslations('pipelines')
  const client = useQueryClient()
  const navigate = useNavigate()
  const { pipelines } = useBootstrap()
  const others = pipelines.filter(({ id }) => id !== pipeline.id)
  const remove = useMutation({
    mutationFn: () => deletePipeline(pipeline.id),
    onSuccess: async () => {
      await navigate({ to: settingsAt('pipelines') })
      void client.invalidateQueries({ queryKey: bootstrapQuery.queryKey })
    },
  })
  const targets = others
    .filter(({ is_archive }) => !is_archive)
    .map(({ id, name, statuses }) => ({
      group: name,
      items: statuses
        .filter((stage) => stage.type !== unsortedType && !isClosed(stage.id))
        .map((stage) => ({ value: `${id} ${stage.id}`, label: `${name}: ${stage.name}` })),
    }))
  const [target, setTarget] = useState<string | null>(null)
  const [isMissing, setMissing] = useState(false)
  const move = useMutation({
    mutationFn: ([pipeline_id, status_id]: [number, number]) =>
      startJob(
        { entity_type: 'leads', filter: `filter[pipeline_id]=${pipeline.id}` },
        { move: { pipeline_id, status_id } },
      ),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: jobsQuery.queryKey })
      onClose()
    },
  })
  const close = () => {
    onClose()
    remove.reset()
    move.reset()
  }
  if (others.length > 0 && leads > 0)
    return (
      <Modal
        opened={opened}
        onClose={close}
        title={words('deleteOf', { name: pipeline.name })}
        closeButtonProps={{ 'aria-label': words('close') }}
      >
        <DialogForm
          onSubmit={(event) => {
            event.preventDefault()
            const [pipeline_id, status_id] = (target ?? '').split(' ').map(Number)
            if (pipeline_id && status_id) move.mutate([pipeline_id, status_id])
            else setMissing(true)
          }}
          onCancel={close}
          action={words('moveLeads')}
          isPending={move.isPending}
          error={move.error}
        >
          <Stack gap="md">
            <Text>
              {words('hasLeads', { count: leads })} {words('reopened')}
            </Text>
            <Select
              label={words('target')}
              data={targets}
              value={target}
              onChange={(chosen) => {
                setTarget(chosen)
                setMissing(false)
              }}
              error={isMissing ? words('targetMissing') : undefined}
              searchable
            />
          </Stack>
        </DialogForm>
      </Modal>
    )
  return (
    <Confirm
      opened={opened}
      title={words('deleteOf', { name: pipeline.name })}
      text={words(others.length === 0 ? 'lastPipeline' : 'deleteText')}
      action={words('delete')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={close}
    />
  )
}
