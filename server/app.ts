// The table of contents: protocol, access, and every feature in one line.
import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import type { FastifyBaseLogger } from 'fastify'
import { installCallLog } from './access/call-log.ts'
import { installAdmission } from './access/admission.ts'
import { installWrites } from './access/write-handler.ts'
import { openBodyBudget } from './access/body-budget.ts'
import { installCors } from './access/cors.ts'
import { openLimits } from './access/limits.ts'
import { entities } from './entities.ts'
import { apiKeyRoutes } from './features/programs/api-keys/routes.ts'
import { accountLogoRoutes } from './features/people/accounts/logo/routes.ts'
import { accountRoutes } from './features/people/accounts/routes.ts'
import { accountSettingsRoutes } from './features/people/accounts/settings/routes.ts'
import { elementRoutes } from './features/records/elements/routes.ts'
import { boardRoutes } from './features/application/board/routes.ts'
import { bootstrapRoutes } from './features/application/bootstrap/routes.ts'
import { callRoutes } from './features/activity/calls/routes.ts'
import { cardRoutes } from './features/application/cards/routes.ts'
import { catalogOrderRoutes, catalogRoutes } from './features/definitions/catalogs/routes.ts'
import { channelRoutes } from './features/conversations/channels/routes.ts'
import { contactChatRoutes } from './features/conversations/chats/contact-chats/routes.ts'
import { inboxRoutes } from './features/conversations/chats/inbox/routes.ts'
import { talkRoutes } from './features/conversations/chats/talks/routes.ts'
import { chatTemplateRoutes } from './features/conversations/chats/templates/routes.ts'
import { checklistRoutes } from './features/application/checklist/routes.ts'
import { companyRoutes } from './features/records/companies/routes.ts'
import { complexRoutes } from './features/records/complex/routes.ts'
import { contactRoutes } from './features/records/contacts/routes.ts'
import { fieldGroupRoutes } from './features/definitions/custom-fields/groups/routes.ts'
import { managedFieldRoutes } from './features/definitions/custom-fields/managed/routes.ts'
import { categoryRoutes } from './features/definitions/custom-fields/categories/routes.ts'
import { enumRoutes } from './features/definitions/custom-fields/options/routes.ts'
import { currencyRoutes } from './features/definitions/currencies/routes.ts'
import { customerRoutes } from './features/records/customers/routes.ts'
import { customerClockRoutes } from './features/records/customers/clock/routes.ts'
import { customersModeRoutes } from './features/records/customers/mode/routes.ts'
import { customerStatusRoutes } from './features/records/customers/statuses/routes.ts'
import { customFieldRoutes } from './features/definitions/custom-fields/routes.ts'
import { demoRoutes } from './features/application/demo/routes.ts'
import { developerRoutes } from './features/programs/developers/routes.ts'
import { eventRoutes } from './features/activity/events/routes.ts'
import { fileRoutes } from './features/activity/files/routes.ts'
import { handoverRoutes } from './features/people/handovers/routes.ts'
import { invitePageRoutes } from './features/people/invitations/page/routes.ts'
import { invitationRoutes } from './features/people/invitations/routes.ts'
import { integrationRoutes } from './features/programs/integrations/routes.ts'
import { groupRoutes } from './features/people/groups/routes.ts'
import { jobRoutes } from './features/application/jobs/routes.ts'
import { changeLeads } from './features/records/leads/leads.ts'
import { leadRoutes } from './features/records/leads/routes.ts'
import { linkRoutes } from './features/records/links/routes.ts'
import { liveRoutes } from './features/application/live/routes.ts'
import { mergeRoutes } from './features/application/merges/routes.ts'
import { threadRoutes } from './features/conversations/messages/thread/routes.ts'
import { outgoingRoutes } from './features/conversations/messages/outgoing/routes.ts'
import { messageRoutes } from './features/conversations/messages/routes.ts'
import {
  lossReasonRoutes,
  managedLossReasonRoutes,
} from './features/definitions/loss-reasons/routes.ts'
import { noteRoutes } from './features/activity/notes/routes.ts'
import { notificationRoutes } from './features/activity/notifications/routes.ts'
import { oauthRoutes } from './features/programs/oauth/routes.ts'
import { consentRoutes } from './features/programs/oauth/consent/routes.ts'
import { resetPageRoutes } from './features/people/passwords/page/routes.ts'
import { passwordRoutes } from './features/people/passwords/routes.ts'
import { pipelineRoutes } from './features/definitions/pipelines/routes.ts'
import { shapingRoutes } from './features/definitions/pipelines/shaping/routes.ts'
import { statusRoutes } from './features/definitions/pipelines/statuses/routes.ts'
import { secondFactorRoutes } from './features/people/second-factor/routes.ts'
import { sessionRoutes } from './features/people/sessions/routes.ts'
import { signInRoutes } from './features/people/sessions/sign-in/routes.ts'
import { recordingRoutes } from './features/application/recordings/routes.ts'
import { presenceRoutes } from './features/application/presence/routes.ts'
import { segmentRefreshRoutes } from './features/definitions/segment-refresh/routes.ts'
import { profileRoutes } from './features/people/profile/routes.ts'
import { rowRoutes } from './features/application/rows/routes.ts'
import { roleRoutes } from './features/people/roles/routes.ts'
import { searchRoutes } from './features/application/search/routes.ts'
import { segmentRoutes } from './features/records/segments/routes.ts'
import { setupPageRoutes } from './features/application/setup/page/routes.ts'
import { setupRoutes } from './features/application/setup/routes.ts'
import { sourceRoutes } from './features/definitions/sources/routes.ts'
import { managedTagRoutes, tagRoutes } from './features/definitions/tags/routes.ts'
import { taskTypeRoutes } from './features/definitions/task-types/routes.ts'
import { taskRoutes } from './features/activity/tasks/routes.ts'
import { feedRoutes } from './features/application/feed/routes.ts'
import { transactionRoutes } from './features/records/transactions/routes.ts'
import { incomingLeadRoutes } from './features/records/unsorted/version-2/routes.ts'
import { userRoutes } from './features/people/users/routes.ts'
import { unsortedRoutes } from './features/records/unsorted/routes.ts'
import { viewRoutes } from './features/people/views/routes.ts'
import { deliveryRoutes } from './features/programs/webhooks/deliveries/routes.ts'
import { webhookRoutes } from './features/programs/webhooks/routes.ts'
import { installBodies } from './http/body.ts'
import { healthRoutes } from './http/health.ts'
import { withoutAddresses } from './http/logged-request.ts'
import { listenOptions, renewCertificate } from './http/listen.ts'
import { metricsRoute } from './http/metrics.ts'
import { installProtocol, protocolOptions, refuseUnknownPaths } from './http/protocol.ts'
import type { App, Kontor, RouteTypes } from './kontor.ts'
import { answerBrowsers, openWeb, webRoutes } from './web/routes.ts'
import { finishCommits } from './work.ts'

/**
 * Builds the application, which does not listen yet. `prepare` gets it before any route is added.
 */
export async function buildApp(
  kontor: Kontor,
  logger: FastifyBaseLogger,
  prepare?: (app: App) => Promise<void>,
): Promise<App> {
  const app = fastify({
    loggerInstance: withoutAddresses(logger),
    ...protocolOptions,
    ...listenOptions(kontor.config),
    bodyLimit: kontor.config.bodyLimit,
    genReqId: () => randomUUID(),
  }).withTypeProvider<RouteTypes>() as unknown as App
  await prepare?.(app)
  renewCertificate(app, kontor.config)
  const limits = openLimits(kontor.config, kontor.elapsedMs)
  const bodies = openBodyBudget(kontor.config.bodyLimit, () => limits.rejected.bodies++)
  installProtocol(app, kontor, { rejected: limits.rejected, bodies })
  installCors(app, kontor)
  const web = await openWeb(app, kontor)
  answerBrowsers(app, web)
  refuseUnknownPaths(app)
  installAdmission(app, kontor, limits)
  installCallLog(app, kontor)
  installBodies(app, kontor)
  installWrites(app, kontor)

  healthRoutes(app, kontor)
  metricsRoute(app, kontor)
  oauthRoutes(app, kontor)
  consentRoutes(app, kontor)
  sessionRoutes(app, kontor)
  signInRoutes(app, kontor)
  passwordRoutes(app, kontor)
  resetPageRoutes(app, kontor)
  secondFactorRoutes(app, kontor)
  invitationRoutes(app, kontor)
  invitePageRoutes(app, kontor)
  profileRoutes(app, kontor)
  setupRoutes(app, kontor)
  setupPageRoutes(app, kontor)
  bootstrapRoutes(app, kontor)
  boardRoutes(app, kontor)
  rowRoutes(app, kontor)
  cardRoutes(app, kontor)
  viewRoutes(app, kontor)
  checklistRoutes(app, kontor)
  apiKeyRoutes(app, kontor)
  integrationRoutes(app, kontor)
  accountRoutes(app, kontor)
  accountSettingsRoutes(app, kontor)
  accountLogoRoutes(app, kontor)
  currencyRoutes(app)
  userRoutes(app, kontor)
  handoverRoutes(app, kontor)
  groupRoutes(app, kontor)
  roleRoutes(app, kontor)
  leadRoutes(app, kontor)
  pipelineRoutes(app, kontor)
  statusRoutes(app, kontor, changeLeads)
  shapingRoutes(app, kontor)
  unsortedRoutes(app, kontor)
  complexRoutes(app, kontor)
  contactRoutes(app, kontor)
  companyRoutes(app, kontor)
  customerRoutes(app, kontor)
  customersModeRoutes(app, kontor)
  customerStatusRoutes(app, kontor)
  customerClockRoutes(app, kontor)
  presenceRoutes(app, kontor)
  segmentRefreshRoutes(app, kontor)
  segmentRoutes(app, kontor)
  feedRoutes(app, kontor)
  transactionRoutes(app, kontor)
  linkRoutes(app, kontor)
  mergeRoutes(app, kontor)
  jobRoutes(app, kontor)
  tagRoutes(app, kontor)
  managedTagRoutes(app, kontor)
  lossReasonRoutes(app, kontor)
  managedLossReasonRoutes(app, kontor)
  sourceRoutes(app, kontor)
  noteRoutes(app, kontor)
  callRoutes(app, kontor)
  recordingRoutes(app, kontor)
  taskRoutes(app, kontor)
  taskTypeRoutes(app, kontor)
  customFieldRoutes(app, kontor)
  fieldGroupRoutes(app, kontor)
  managedFieldRoutes(app, kontor)
  enumRoutes(app, kontor)
  categoryRoutes(app, kontor)
  catalogRoutes(app, kontor)
  catalogOrderRoutes(app, kontor)
  elementRoutes(app, kontor)
  eventRoutes(app, kontor)
  incomingLeadRoutes(app, kontor)
  webhookRoutes(app, kontor)
  deliveryRoutes(app, kontor, entities)
  notificationRoutes(app, kontor)
  channelRoutes(app, kontor)
  inboxRoutes(app, kontor)
  threadRoutes(app, kontor)
  chatTemplateRoutes(app, kontor)
  talkRoutes(app, kontor)
  contactChatRoutes(app, kontor)
  outgoingRoutes(app, kontor)
  messageRoutes(app, kontor)
  fileRoutes(app, kontor)
  searchRoutes(app, kontor)
  liveRoutes(app, kontor, entities)
  demoRoutes(app, kontor)
  developerRoutes(app)
  webRoutes(app, web)
  finishCommits(app, kontor)

  await app.ready()
  return app
}
