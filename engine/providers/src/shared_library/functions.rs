//! Tables of typed pointers to a library's functions.

/// Defines a table: its name, the functions that it must have, and after `optional` those that
/// only some versions have.
///
/// ```text
/// function_table! {
///     Example {
///         example_version: unsafe extern "C" fn() -> *const c_char,
///     }
///     optional {
///         example_novelty: unsafe extern "C" fn(c_int) -> c_int,
///     }
/// }
/// ```
#[macro_export]
macro_rules! function_table {
    (
        $table:ident { $($name:ident: $type:ty,)* }
        $(optional { $($optional:ident: $optional_type:ty,)* })?
    ) => {
        #[allow(non_snake_case)]
        pub struct $table {
            $(pub $name: $type,)*
            $($(pub $optional: Option<$optional_type>,)*)?
        }

        impl $table {
            /// Finds the functions; the refusal names the first that is missing.
            ///
            /// # Safety
            ///
            /// Where `library` has functions of these names they have these types, and it stays
            /// open while the table is in use.
            pub unsafe fn find(
                library: &$crate::shared_library::OpenedLibrary,
            ) -> Result<Self, $crate::api::Unusable> {
                Ok(Self {
                    // SAFETY: the caller vouches for the types.
                    $($name: unsafe { library.function::<$type>(stringify!($name)) }?,)*
                    $($($optional: {
                        // SAFETY: as above.
                        unsafe { library.optional_function::<$optional_type>(stringify!($optional)) }
                    },)*)?
                })
            }
        }
    };
}
