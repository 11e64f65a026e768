import { Alert, Badge, Button, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CirclePause } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { putAnswer } from '../../data/answers.ts'
import { Moment } from '../../ui/moment.tsx'
import { ProblemText } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.ts'
import styles from './health.module.css'
import { changeWebhook, mostInvalid, webhookQuery, webhooksQuery } from './webhooks.ts'
import type { Webhook } from './webhooks.ts'

/** Invalid answers of the last two hours against the number that disables a webhook. */
export function HealthBar({ webhook: { health, disabled } }: { webhook: Webhook }) {
  const words = useTranslations('webhooks')
  const { invalid_answers } = health
  const colour =
    disabled || invalid_answers > mostInvalid * 0.8
      ? 'danger'
      : invalid_answers > mostInvalid * 0.4
        ? 'warning'
        : 'success'
  const said = words('failures', { number: invalid_answers, most: mostInvalid })
  return (
    <div className={styles.health}>
      <div className={styles.figures}>{said}</div>
      <Progress.Root size={4} radius="xl">
        <Progress.Section
          value={Math.min(100, (invalid_answers / mostInvalid) * 100)}
          color={colour}
          aria-label={said}
        />
      </Progress.Root>
    </div>
  )
}

export function WebhookState({ webhook: { disabled, disabled_by, health } }: { webhook: Webhook }) {
  const words = useTranslations('webhooks')
  if (disabled && disabled_by !== null) return <Badge color="gray">{words('offByHand')}</Badge>
  if (disabled) return <Badge color="danger">{words('off')}</Badge>
  if (health.latest_status === null) return <Badge color="gray">{words('unused')}</Badge>
  const isWell = health.latest_status >= 100 && health.latest_status < 300
  return (
    <Badge color={isWell ? 'success' : 'warning'}>{words(isWell ? 'working' : 'failing')}</Badge>
  )
}

/** Why a webhook is switched off, what its receiver answered last, and the button that enables it. */
export function SwitchedOff({ webhook }: { webhook: Webhook }) {
  const words = useTranslations('webhooks')
  const client = useQueryClient()
  const { id, health, disabled_at, disabled_by } = webhook
  const { latest_status, latest_error, latest_answer, latest_attempt_at } = health
  const isByHand = disabled_by !== null
  const enabling = useMutation({
    mutationFn: () => changeWebhook(id, { disabled: false }),
    onSuccess: (answer) => {
      putAnswer(client, webhookQuery(id).queryKey, answer)
      say(words('enabled'))
      return client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
    },
  })
  return (
    <Alert
      color={isByHand ? 'gray' : 'danger'}
      icon={isByHand ? <CirclePause size={16} /> : <CircleAlert size={16} />}
      title={words(isByHand ? 'offByHand' : 'off')}
    >
      <Stack gap="sm" align="flex-start">
        <Text>
          {isByHand ? words('offByHandText') : words('offText', { most: mostInvalid })}{' '}
          {disabled_at !== null &&
            words.rich('offSince', { time: () => <Moment at={disabled_at} /> })}
        </Text>
        {!isByHand && latest_status !== null && (
          <div className={styles.latest}>
            <div>
              {latest_status === 0
                ? words('latestSilence', { error: latest_error ?? '' })
                : words('latest', { status: String(latest_status) })}{' '}
              {latest_attempt_at !== null && <Moment at={latest_attempt_at} />}
            </div>
            {latest_answer !== null && <pre className={styles.answer}>{latest_answer}</pre>}
          </div>
        )}
        <Button
          {...(!isByHand && { color: 'danger' })}
          loading={enabling.isPending}
          onClick={() => enabling.mutate()}
        >
          {words('enable')}
        </Button>
        {enabling.error && <ProblemText error={enabling.error} />}
      </Stack>
    </Alert>
  )
}
