import type { Plugin } from 'graphql-yoga';
import { ParleyError } from '../core/errors.ts';
import { acceptsMultipartSubscription } from './streams/streamed-results.ts';

const events = 'text/event-stream';
const forms = ['application/graphql-response+json', 'application/json', 'multipart/mixed', events];

/**
 * Refuses, before anything runs, operations whose response format the caller does not accept: nothing may be written
 * then.
 */
export const requireReadableResponse: Plugin = {
  onExecute({ args: { contextValue }, setResultAndStopExecution }) {
    if (!isRead(contextValue, forms)) setResultAndStopExecution(refusal('application/json'));
  },
  onSubscribe({ args: { contextValue }, setResultAndStopExecution }) {
    const { request } = contextValue as { request: Request };
    if (!isRead(contextValue, [events]) && !acceptsMultipartSubscription(request))
      setResultAndStopExecution(refusal(events));
  },
};

const refusal = (form: string) => ({
  errors: [new ParleyError('unsupported_media_type', `Accept ${form}: this operation responds in that format.`)],
});

function isRead(context: unknown, written: string[]): boolean {
  const { request } = context as { request: Request };
  const read = (request.headers.get('accept') || '*/*').toLowerCase().split(',');
  return read.some((range) => {
    const [type = '', subtype = ''] = range.split(';', 1)[0]?.trim().split('/') ?? [];
    return written.some((form) => [form, `${form.split('/')[0]}/*`, '*/*'].includes(`${type}/${subtype}`));
  });
}
