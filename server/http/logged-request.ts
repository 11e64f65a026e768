import type { FastifyBaseLogger, FastifyRequest } from 'fastify'

/**
 * A logger that writes requests without their addresses, by the pattern of their route: some paths
 * hold the secret of a link (access/links.ts).
 */
export function withoutAddresses(logger: FastifyBaseLogger): FastifyBaseLogger {
  return logger.child({}, { serializers: { req: loggedRequest } })
}

const loggedRequest = ({ id, ip, method, routeOptions }: FastifyRequest) => ({
  id,
  ip,
  method,
  route: routeOptions?.url,
})
