import { Reflector } from '@nestjs/core';

/** Marks a DTO whose unknown fields are errors. Without it they are ignored, as the Resend API does; see `@RejectMisspellings()`. */
export const RejectUnknownFields = Reflector.createDecorator<true>({ transform: () => true as const });
