import type { app } from '@azure/functions'

/** The registration surface of the Functions library, as a parameter: tests and other hosts can bring their own. */
export type FunctionApp = Pick<typeof app, 'http' | 'storageQueue' | 'timer' | 'eventGrid' | 'hook'>
export type { HttpRequest, HttpResponseInit } from '@azure/functions'
