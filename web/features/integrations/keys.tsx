import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Info } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { putAnswer } from '../../data/answers.ts'
import { CodeBlock } from '../../ui/code.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Countdown } from '../../ui/countdown.tsx'
import { PageSection } from '../../ui/page.tsx'
import { ProofDialog } from '../../ui/proof.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { ProblemText } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.ts'
import {
  enableIntegration,
  integrationQuery,
  integrationsQuery,
  makeCode,
  makeToken,
  readSecret,
  rotateSecret,
  secretQuery,
} from './integrations.ts'
import type { Integration, Token } from './integrations.ts'
import styles from './keys.module.css'

/** All that a program needs in order to call: the id, the secret, a code and a token. */
export function IntegrationKeys({ integration }: { integration: Integration }) {
  const { is_enabled, is_own } = integration
  return (
    <>
      <Credentials integration={integration} />
      {is_enabled ? <FirstToken integration={integration} /> : <Enable integration={integration} />}
      {is_enabled && is_own && <LongLivedToken integration={integration} />}
    </>
  )
}

function Credentials({ integration }: { integration: Integration }) {
  const words = useTranslations('integrations')
  const client = useQueryClient()
  const { client_id, is_own, redirect_uri } = integration
  const { data: secret } = useQuery(secretQuery(client_id))
  const [confirming, setConfirming] = useState<'show' | 'rotate'>()
  const [isShown, setShown] = useState(false)
  const keep = ({ client_secret }: { client_secret: string }) => {
    putAnswer(client, secretQuery(client_id).queryKey, client_secret)
    setShown(true)
    if (confirming === 'rotate') say(words('rotated'))
    setConfirming(undefined)
  }
  return (
    <PageSection title={words('credentials')} about={words('credentialsAbout')}>
      <Stack gap="md">
        <CopyField label={words('id')} value={client_id} />
        {is_own && (
          <div className={styles.secret}>
            {secret === undefined ? (
              <TextInput
                label={words('secret')}
                value="••••••••••••••••••••••••••••••••"
                readOnly
                aria-description={words('secretHidden')}
              />
            ) : (
              <CopyField
                key={String(isShown)}
                label={words('secret')}
                value={secret}
                isSecret={!isShown}
              />
            )}
            {secret === undefined && (
              <Button variant="default" onClick={() => setConfirming('show')}>
                {words('showSecret')}
              </Button>
            )}
            <Button variant="default" onClick={() => setConfirming('rotate')}>
              {words('rotate')}
            </Button>
          </div>
        )}
        <CopyField label={words('redirect')} value={redirect_uri} />
      </Stack>
      <ProofDialog
        opened={confirming === 'show'}
        title={words('showSecret')}
        text={words('showSecretText')}
        action={words('showSecret')}
        send={(proof) => readSecret(client_id, proof)}
        onDone={keep}
        onClose={() => setConfirming(undefined)}
      />
      <ProofDialog
        opened={confirming === 'rotate'}
        title={words('rotateAsk')}
        text={words('rotateText')}
        action={words('rotate')}
        send={(proof) => rotateSecret(client_id, proof)}
        onDone={keep}
        onClose={() => setConfirming(undefined)}
      />
    </PageSection>
  )
}

function Enable({ integration: { client_id } }: { integration: Integration }) {
  const words = useTranslations('integrations')
  const client = useQueryClient()
  const enabling = useMutation({
    mutationFn: () => enableIntegration(client_id),
    onSuccess: (answer) => {
      putAnswer(client, integrationQuery(client_id).queryKey, answer)
      void client.invalidateQueries({ queryKey: integrationsQuery.queryKey })
    },
  })
  return (
    <PageSection title={words('code')}>
      <Alert icon={<Info size={16} />} color="info">
        <Stack gap="sm" align="flex-start">
          {words('disabledText')}
          <Button loading={enabling.isPending} onClick={() => enabling.mutate()}>
            {words('enable')}
          </Button>
          {enabling.error && <ProblemText error={enabling.error} />}
        </Stack>
      </Alert>
    </PageSection>
  )
}

function FirstToken({ integration }: { integration: Integration }) {
  const words = useTranslations('integrations')
  const { client_id, redirect_uri } = integration
  const { data: client_secret } = useQuery(secretQuery(client_id))
  const making = useMutation({ mutationFn: () => makeCode(client_id) })
  const code = making.data
  const exchange = (secret: string) =>
    [
      `curl ${location.origin}/oauth2/access_token \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '${JSON.stringify(
        {
          client_id,
          client_secret: secret,
          grant_type: 'authorization_code',
          code: code?.code,
          redirect_uri,
        },
        undefined,
        2,
      ).replaceAll("'", String.raw`'\''`)}'`,
    ].join('\n')
  return (
    <PageSection
      title={words('code')}
      about={words('codeAbout')}
      actions={
        <Button
          variant={code ? 'default' : 'filled'}
          loading={making.isPending}
          onClick={() => making.mutate()}
        >
          {words(code ? 'codeAgain' : 'codeMake')}
        </Button>
      }
    >
      {making.error && (
        <Text c="danger" role="alert">
          <ProblemText error={making.error} />
        </Text>
      )}
      {code && (
        <Stack gap="md">
          <div>
            <CopyField label={words('code')} value={code.code} />
            <Countdown until={code.expires_at} />
          </div>
          <div>
            <Text fw={500} mb={4}>
              {words('exchange')}
            </Text>
            <CodeBlock
              label={words('exchange')}
              value={exchange(client_secret ?? words('secretUnknown'))}
              shown={exchange(client_secret ? '••••••••' : words('secretUnknown'))}
            />
          </div>
        </Stack>
      )}
    </PageSection>
  )
}

const lifetimes = [1, 30, 365, 1826] as const

function LongLivedToken({ integration: { client_id } }: { integration: Integration }) {
  const words = useTranslations('integrations')
  const client = useQueryClient()
  const [days, setDays] = useState('365')
  const [isConfirming, setConfirming] = useState(false)
  const [made, setMade] = useState<Token>()
  return (
    <PageSection title={words('token')} about={words('tokenAbout')}>
      <Group align="flex-end" gap="sm">
        <Select
          label={words('tokenFor')}
          data={lifetimes.map((each) => ({
            value: String(each),
            label: words('days', { days: each }),
          }))}
          value={days}
          allowDeselect={false}
          onChange={(value) => value && setDays(value)}
        />
        <Button variant="default" onClick={() => setConfirming(true)}>
          {words('tokenMake')}
        </Button>
      </Group>
      <ProofDialog
        opened={isConfirming}
        title={words('tokenMake')}
        text={words('tokenAbout')}
        action={words('tokenMake')}
        send={(proof) => makeToken(client_id, { ...proof, days: Number(days) })}
        onDone={(token) => {
          setConfirming(false)
          setMade(token)
          void client.invalidateQueries({
            queryKey: [...integrationQuery(client_id).queryKey, 'grants'],
          })
        }}
        onClose={() => setConfirming(false)}
      />
      <ShownOnce
        opened={made !== undefined}
        title={words('token')}
        values={[{ label: words('token'), value: made?.access_token ?? '' }]}
        onClose={() => setMade(undefined)}
      >
        <CodeBlock
          label={words('tokenTry')}
          value={`curl ${location.origin}/api/v4/account \\\n  -H 'Authorization: Bearer ${made?.access_token}'`}
          shown={`curl ${location.origin}/api/v4/account \\\n  -H 'Authorization: Bearer ••••••••'`}
        />
      </ShownOnce>
    </PageSection>
  )
}
