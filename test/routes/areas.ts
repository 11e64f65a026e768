// The areas of the interface. Each has a file beside this one that asks its rows of test/routes.ts,
// so that several are asked at once; table.test.ts fails for an area without a file.
import { rows } from '../routes.ts'
import type { Route, Row } from '../routes.ts'

/** A row belongs to the first area whose pattern is in its path. */
const patterns = {
  fields: /\/(custom_fields|fields|catalogs|segments)(\/|$)/,
  activity:
    /\/(notes|calls|tasks|task-types|events|timeline|transactions|purchases-by-month|bonus_points)(\/|$)/,
  conversations:
    /\/(chats|talks|channels|channel-connections|chat-templates|messages|origin|unsorted|incoming_leads)(\/|$)/,
  programs: /\/(integrations|webhooks|notifications|api-keys|oauth2?|developers)(\/|$)/,
  setup:
    /\/(pipelines|statuses|loss_reasons|loss-reasons|sources|mode|reevaluation|roles|users|groups)(\/|$)/,
  records:
    /^\/(api|web)\/v\d\/(leads?|contacts|companies|customers|board|aggregate|bulk|definition-jobs|jobs|views|merges|duplicates|cards|search|tags)(\/|$)/,
  /** Pages, sign-in, files, and what people set for themselves. */
  application: /^\//,
} as const

export type Area = keyof typeof patterns
export const areas = Object.keys(patterns) as Area[]

export const areaOf = ({ path }: Route): Area => areas.find((area) => patterns[area].test(path))!

export const rowsOfArea = (area: Area): Row[] => rows.filter((row) => areaOf(row) === area)
