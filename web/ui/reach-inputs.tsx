import { TextInput } from '@mantine/core'

/** A phone and an e-mail that are typed. */
export function ReachInputs({
  form,
  phone,
  email,
}: {
  form: { getInputProps: (field: 'phone' | 'email') => object }
  /** The labels. */
  phone: string
  email: string
}) {
  return (
    <>
      <TextInput label={phone} type="tel" autoComplete="off" {...form.getInputProps('phone')} />
      <TextInput label={email} type="email" autoComplete="off" {...form.getInputProps('email')} />
    </>
  )
}
