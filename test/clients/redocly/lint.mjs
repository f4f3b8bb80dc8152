import { createConfig, lint } from '@redocly/openapi-core';

// Prints what the strict rules find in the description that is named.
const config = await createConfig({ extends: ['recommended-strict'] });
const problems = await lint({ ref: process.argv[2], config });
process.stdout.write(
  JSON.stringify(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)),
);
