import { TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ParleyError } from '../core/errors.ts';

/** Refuses subscriptions that write if they are asked for by GET, which browsers send from any page and again. */
export const refuseWritesByGet: Plugin = {
  onSubscribe({ args: { schema, document, contextValue }, setResultAndStopExecution }) {
    const { request } = contextValue as { request: Request };
    if (request.method === 'POST') return;
    const types = new TypeInfo(schema);
    let writes = false;
    const Field = () => {
      writes ||= types.getFieldDef()?.extensions.parleyWrites === true;
    };
    visit(document, visitWithTypeInfo(types, { Field }));
    if (writes) setResultAndStopExecution({ errors: [refusal] });
  },
};

const refusal = new ParleyError('method_not_allowed', 'This subscription writes: send it by POST.', {
  headers: { allow: 'POST' },
});
