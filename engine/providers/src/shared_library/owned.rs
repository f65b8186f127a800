//! A library's objects that are given back when dropped.

use std::ptr::NonNull;

/// An object that belongs to us. `R` is what the function that gives it back returns.
pub struct Owned<T, R = ()> {
    pointer: NonNull<T>,
    free: unsafe extern "C" fn(*mut T) -> R,
}

// SAFETY: whoever makes one vouches that such objects are bound to no thread; they must only not
// be used by two at once, and an `Owned` is neither `Sync` nor `Clone`.
unsafe impl<T, R> Send for Owned<T, R> {}

impl<T, R> Owned<T, R> {
    /// Takes over what a library's `…_new` made; `None` for null.
    ///
    /// # Safety
    ///
    /// `pointer` is null or a reference that nobody else will give back, `free` does that, and
    /// objects of this type may be used by a thread that did not make them.
    pub unsafe fn new(
        pointer: *mut T,
        free: unsafe extern "C" fn(*mut T) -> R,
    ) -> Option<Owned<T, R>> {
        NonNull::new(pointer).map(|pointer| Owned { pointer, free })
    }

    pub fn as_ptr(&self) -> *mut T {
        self.pointer.as_ptr()
    }
}

impl<T, R> Drop for Owned<T, R> {
    fn drop(&mut self) {
        // SAFETY: `new` was given the one reference, and this is its only end.
        unsafe { (self.free)(self.pointer.as_ptr()) };
    }
}
