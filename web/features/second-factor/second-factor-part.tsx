import { Badge, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { useFilled } from '../../ui/form.ts'
import { DateTime } from '../../ui/moment.tsx'
import { noProof, ProofInputs, proven, useProofRules } from '../../ui/proof.tsx'
import type { Proof } from '../../ui/proof.tsx'
import { Failure, ProblemAlert, Rows } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.ts'
import { RecoveryCodeList } from './recovery-codes.tsx'
import {
  beginFactor,
  confirmFactor,
  endFactor,
  renewCodes,
  secondFactorQuery,
} from './second-factor.ts'
import type { BegunFactor } from './second-factor.ts'
import styles from './second-factor.module.css'

/** So few recovery codes are left that new ones are due. */
const fewCodes = 2

/** The second factor of the user: its state, and the dialogs that change it. */
export function SecondFactorPart() {
  const words = useTranslations('security')
  const query = useQuery(secondFactorQuery)
  const [dialog, setDialog] = useState<'on' | 'off' | 'codes'>()
  const close = () => setDialog(undefined)
  if (query.isPending) return <Rows number={1} />
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />
  const { is_on, confirmed_at, recovery_codes } = query.data
  return (
    <>
      <div className={styles.state}>
        <Badge color={is_on ? 'success' : 'gray'}>{words(is_on ? 'isOn' : 'isOff')}</Badge>
        <div className={styles.words} data-low={(is_on && recovery_codes <= fewCodes) || undefined}>
          {is_on
            ? words.rich('onSince', {
                number: recovery_codes,
                time: () => <DateTime at={confirmed_at ?? 0} />,
              })
            : words('offText')}
        </div>
        <Group gap="sm">
          {is_on ? (
            <>
              <Button variant="default" onClick={() => setDialog('codes')}>
                {words('newCodes')}
              </Button>
              <Button variant="default" onClick={() => setDialog('off')}>
                {words('turnOff')}
              </Button>
            </>
          ) : (
            <Button onClick={() => setDialog('on')}>{words('turnOn')}</Button>
          )}
        </Group>
      </div>
      <TurnOn opened={dialog === 'on'} onClose={close} />
      <NewCodes opened={dialog === 'codes'} onClose={close} />
      <TurnOff opened={dialog === 'off'} onClose={close} />
    </>
  )
}

interface Dialog {
  opened: boolean
  onClose: () => void
}

/** Asks the server anew after a change. */
function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: secondFactorQuery.queryKey })
}

/** Password, then the code for the app, then the recovery codes. */
function TurnOn({ opened, onClose }: Dialog) {
  const words = useTranslations('security')
  const [begun, setBegun] = useState<BegunFactor>()
  const [codes, setCodes] = useState<string[]>()
  return (
    <CodesDialog
      title={words('turnOnTitle')}
      opened={opened}
      onClose={onClose}
      codes={codes}
      onClosed={() => {
        setBegun(undefined)
        setCodes(undefined)
      }}
    >
      {begun ? (
        <Scan begun={begun} onDone={setCodes} />
      ) : (
        <Ask
          text={words('turnOnText')}
          send={({ password }) => beginFactor({ password })}
          onDone={setBegun}
        />
      )}
    </CodesDialog>
  )
}

function NewCodes({ opened, onClose }: Dialog) {
  const words = useTranslations('security')
  const refresh = useRefresh()
  const [codes, setCodes] = useState<string[]>()
  return (
    <CodesDialog
      title={words('newCodes')}
      opened={opened}
      onClose={onClose}
      codes={codes}
      onClosed={() => setCodes(undefined)}
    >
      <Ask
        text={words('newCodesText')}
        hasFactor
        send={renewCodes}
        onDone={({ recovery_codes }) => {
          setCodes(recovery_codes)
          refresh()
        }}
      />
    </CodesDialog>
  )
}

/** A dialog that ends with recovery codes; from then on only the button under them closes it. */
function CodesDialog({
  title,
  opened,
  onClose,
  codes,
  onClosed,
  children,
}: Dialog & {
  title: string
  codes: string[] | undefined
  onClosed: () => void
  children: React.ReactNode
}) {
  const words = useTranslations('security')
  const ui = useTranslations('ui')
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title={codes ? words('codes') : title}
      size="lg"
      withCloseButton={!codes}
      closeOnClickOutside={false}
      closeOnEscape={!codes}
      closeButtonProps={{ 'aria-label': ui('close') }}
    >
      {codes ? <RecoveryCodeList codes={codes} onKept={onClose} /> : children}
    </Modal>
  )
}

function Ask<Answer>({
  text,
  hasFactor = false,
  send,
  onDone,
}: {
  text: string
  hasFactor?: boolean
  send: (proof: Proof) => Promise<Answer>
  onDone: (answer: Answer) => void
}) {
  const words = useTranslations('security')
  const { form, submit, isPending, error } = useFilled({
    values: noProof,
    validate: useRules(hasFactor),
    send: (values) => send(proven(values)),
    onDone,
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text>{text}</Text>
        <ProofInputs form={form} hasFactor={hasFactor} isFirst />
        <ProblemAlert error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            {words('next')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The rules of a proof, whose code is not left out where the second factor is on. */
function useRules(hasFactor: boolean) {
  const words = useTranslations('security')
  return {
    ...useProofRules(),
    code: (code: string) => (hasFactor && code.trim() === '' ? words('missing') : undefined),
  }
}

function Scan({ begun, onDone }: { begun: BegunFactor; onDone: (codes: string[]) => void }) {
  const words = useTranslations('security')
  const refresh = useRefresh()
  const { form, submit, isPending, error } = useFilled({
    values: { code: '' },
    validate: { code: (code) => (code.trim() === '' ? words('missing') : undefined) },
    send: confirmFactor,
    onDone: ({ recovery_codes }) => {
      onDone(recovery_codes)
      refresh()
    },
  })
  const { size, path } = begun.qr
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <div className={styles.scan}>
          <svg
            viewBox={`0 0 ${size} ${size}`}
            shapeRendering="crispEdges"
            className={styles.qr}
            role="img"
            aria-label={words('qr')}
          >
            <path d={path} />
          </svg>
          <ol className={styles.steps}>
            <li>{words('scan')}</li>
            <li>{words('scanCode')}</li>
          </ol>
        </div>
        <CopyField label={words('secret')} value={begun.secret} />
        <TextInput
          label={words('code')}
          description={words('codeAbout')}
          maw={240}
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          {...form.getInputProps('code')}
        />
        <ProblemAlert error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            {words('turnOn')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function TurnOff({ opened, onClose }: Dialog) {
  const words = useTranslations('security')
  const refresh = useRefresh()
  const { form, submit, isPending, error, reset } = useFilled({
    values: noProof,
    validate: useRules(true),
    send: endFactor,
    onDone: () => {
      form.setInitialValues(noProof)
      form.reset()
      onClose()
      say(words('turnedOff'))
      refresh()
    },
  })
  return (
    <Confirm
      opened={opened}
      title={words('turnOffTitle')}
      text={words('turnOffText')}
      action={words('turnOff')}
      isPending={isPending}
      error={error}
      onConfirm={submit}
      onClose={() => {
        reset()
        onClose()
      }}
    >
      <ProofInputs form={form} hasFactor isFirst />
    </Confirm>
  )
}
