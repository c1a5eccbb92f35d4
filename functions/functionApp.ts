import type { app } from '@azure/functions'

/** The part of the Functions library that registers functions, as a parameter: tests and other hosts provide their own. */
export type FunctionApp = Pick<typeof app, 'http' | 'storageQueue' | 'timer' | 'eventGrid' | 'hook'>
export type { HttpRequest, HttpResponseInit } from '@azure/functions'
