// The table of contents: protocol, access, and every feature in one line.
import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import type { FastifyBaseLogger } from 'fastify'
import { installCallLog } from './access/call-log.ts'
import { installAdmission } from './access/admission.ts'
import { installWrites } from './access/answer-write.ts'
import { openBodyBudget } from './access/body-budget.ts'
import { installCors } from './access/cors.ts'
import { openLimits } from './access/limits.ts'
import { entities } from './entities.ts'
import { apiKeyRoutes } from './features/api-keys/routes.ts'
import { accountRoutes } from './features/accounts/routes.ts'
import { elementRoutes } from './features/elements/routes.ts'
import { boardRoutes } from './features/board/routes.ts'
import { bootstrapRoutes } from './features/bootstrap/routes.ts'
import { callRoutes } from './features/calls/routes.ts'
import { cardRoutes } from './features/cards/routes.ts'
import { catalogRoutes } from './features/catalogs/routes.ts'
import { channelRoutes } from './features/channels/routes.ts'
import { contactChatRoutes } from './features/chats/contact-chats/routes.ts'
import { inboxRoutes } from './features/chats/inbox/routes.ts'
import { talkRoutes } from './features/chats/talks/routes.ts'
import { chatTemplateRoutes } from './features/chats/templates/routes.ts'
import { checklistRoutes } from './features/checklist/routes.ts'
import { companyRoutes } from './features/companies/routes.ts'
import { complexRoutes } from './features/complex/routes.ts'
import { contactRoutes } from './features/contacts/routes.ts'
import { fieldGroupRoutes } from './features/custom-fields/groups/routes.ts'
import { currencyRoutes } from './features/currencies/routes.ts'
import { customerRoutes } from './features/customers/routes.ts'
import { customerClockRoutes } from './features/customers/clock/routes.ts'
import { customersModeRoutes } from './features/customers/mode/routes.ts'
import { customerStatusRoutes } from './features/customers/statuses/routes.ts'
import { customFieldRoutes } from './features/custom-fields/routes.ts'
import { demoRoutes } from './features/demo/routes.ts'
import { developerRoutes } from './features/developers/routes.ts'
import { eventRoutes } from './features/events/routes.ts'
import { fileRoutes } from './features/files/routes.ts'
import { handoverRoutes } from './features/handovers/routes.ts'
import { invitePageRoutes } from './features/invitations/page/routes.ts'
import { invitationRoutes } from './features/invitations/routes.ts'
import { integrationRoutes } from './features/integrations/routes.ts'
import { groupRoutes } from './features/groups/routes.ts'
import { jobRoutes } from './features/jobs/routes.ts'
import { changeLeads } from './features/leads/leads.ts'
import { leadRoutes } from './features/leads/routes.ts'
import { linkRoutes } from './features/links/routes.ts'
import { liveRoutes } from './features/live/routes.ts'
import { mergeRoutes } from './features/merges/routes.ts'
import { threadRoutes } from './features/messages/thread/routes.ts'
import { outgoingRoutes } from './features/messages/outgoing/routes.ts'
import { messageRoutes } from './features/messages/routes.ts'
import { lossReasonRoutes } from './features/loss-reasons/routes.ts'
import { noteRoutes } from './features/notes/routes.ts'
import { notificationRoutes } from './features/notifications/routes.ts'
import { oauthRoutes } from './features/oauth/routes.ts'
import { windowRoutes } from './features/oauth/window/routes.ts'
import { resetPageRoutes } from './features/passwords/page/routes.ts'
import { passwordRoutes } from './features/passwords/routes.ts'
import { pipelineRoutes } from './features/pipelines/routes.ts'
import { statusRoutes } from './features/pipelines/statuses/routes.ts'
import { secondFactorRoutes } from './features/second-factor/routes.ts'
import { sessionRoutes } from './features/sessions/routes.ts'
import { signInRoutes } from './features/sessions/sign-in/routes.ts'
import { recordingRoutes } from './features/recordings/routes.ts'
import { presenceRoutes } from './features/presence/routes.ts'
import { reevaluationRoutes } from './features/reevaluations/routes.ts'
import { profileRoutes } from './features/profile/routes.ts'
import { roleRoutes } from './features/roles/routes.ts'
import { searchRoutes } from './features/search/routes.ts'
import { segmentRoutes } from './features/segments/routes.ts'
import { setupPageRoutes } from './features/setup/page/routes.ts'
import { setupRoutes } from './features/setup/routes.ts'
import { sourceRoutes } from './features/sources/routes.ts'
import { tagRoutes } from './features/tags/routes.ts'
import { taskTypeRoutes } from './features/task-types/routes.ts'
import { taskRoutes } from './features/tasks/routes.ts'
import { timelineRoutes } from './features/timeline/routes.ts'
import { transactionRoutes } from './features/transactions/routes.ts'
import { incomingLeadRoutes } from './features/unsorted/version-2/routes.ts'
import { userRoutes } from './features/users/routes.ts'
import { unsortedRoutes } from './features/unsorted/routes.ts'
import { viewRoutes } from './features/views/routes.ts'
import { deliveryRoutes } from './features/webhooks/deliveries/routes.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
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
  windowRoutes(app, kontor)
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
  cardRoutes(app, kontor)
  viewRoutes(app, kontor)
  checklistRoutes(app, kontor)
  apiKeyRoutes(app, kontor)
  integrationRoutes(app, kontor)
  accountRoutes(app, kontor)
  currencyRoutes(app)
  userRoutes(app, kontor)
  handoverRoutes(app, kontor)
  groupRoutes(app, kontor)
  roleRoutes(app, kontor)
  leadRoutes(app, kontor)
  pipelineRoutes(app, kontor)
  statusRoutes(app, kontor, changeLeads)
  unsortedRoutes(app, kontor)
  complexRoutes(app, kontor)
  contactRoutes(app, kontor)
  companyRoutes(app, kontor)
  customerRoutes(app, kontor)
  customersModeRoutes(app, kontor)
  customerStatusRoutes(app, kontor)
  customerClockRoutes(app, kontor)
  presenceRoutes(app, kontor)
  reevaluationRoutes(app, kontor)
  segmentRoutes(app, kontor)
  timelineRoutes(app, kontor)
  transactionRoutes(app, kontor)
  linkRoutes(app, kontor)
  mergeRoutes(app, kontor)
  jobRoutes(app, kontor)
  tagRoutes(app, kontor)
  lossReasonRoutes(app, kontor)
  sourceRoutes(app, kontor)
  noteRoutes(app, kontor)
  callRoutes(app, kontor)
  recordingRoutes(app, kontor)
  taskRoutes(app, kontor)
  taskTypeRoutes(app, kontor)
  customFieldRoutes(app, kontor)
  fieldGroupRoutes(app, kontor)
  catalogRoutes(app, kontor)
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
