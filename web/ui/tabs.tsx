import { Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** Parts of a page behind tabs; the address names the part (`?tab=`). The first is the usual one. */
export function PageTabs({
  tabs,
}: {
  tabs: { name: string; title: string; content: ReactNode }[]
}) {
  const { tab } = useSearch({ strict: false }) as { tab?: string }
  const navigate = useNavigate()
  const present = tabs.find(({ name }) => name === tab) ?? tabs[0]
  return (
    <Tabs
      value={present?.name ?? null}
      // A form in a hidden part still asks before the page is left.
      keepMountedMode="display-none"
      onChange={(name) =>
        void navigate({ to: '.', search: (name === tabs[0]?.name ? {} : { tab: name }) as never })
      }
    >
      <Tabs.List mb="lg">
        {tabs.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, content }) => (
        <Tabs.Panel key={name} value={name}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
