import type { ParseArgsConfig } from 'node:util'

/** The arguments that the host takes, and that the parent of its processes hands to each of them. */
export const HOST_OPTIONS = {
  app: { type: 'string' },
  'host-json': { type: 'string', default: 'host.json' },
  port: { type: 'string', default: '0' },
  'host-id': { type: 'string', default: 'local' },
  keys: { type: 'string', default: '{}' },
  'message-lease-seconds': { type: 'string', default: '600' },
  settings: { type: 'string' },
} as const satisfies ParseArgsConfig['options']

export const HOST_USAGE =
  '--app FILE [--host-json FILE] [--port N] [--host-id ID] [--keys JSON] [--message-lease-seconds N] [--settings FILE]'
